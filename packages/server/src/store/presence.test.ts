import { expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { joinNodes, leaveNodes, portsOfNodes } from './presence.ts'

it('the ports of all nodes are known, also of those that have stopped, as each said at its last start', async () => {
  await using test = await openTestDatabase()
  const join = async (name: string, ports: readonly number[]) =>
    await test.db.transaction(async (tx) => await joinNodes(tx, { name, bootId: name, version: '1', keys: 'same', ports }))
  await join('a', [8080, 80, 443])
  await join('b', [8081, 80, 443])
  await test.db.transaction(async (tx) => await leaveNodes(tx, { name: 'b', bootId: 'b' }))
  await join('a', [9090, 80, 443])
  expect(new Set(await portsOfNodes(test.db))).toEqual(new Set([9090, 8081, 80, 443]))
})
