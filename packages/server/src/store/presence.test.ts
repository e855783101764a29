import { expect, it } from 'vitest'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { joinNodes, leaveNodes, portsOfNodes } from './presence.ts'

it('refuses another version while a node runs, and takes it when all have stopped', async () => {
  await using test = await openTestDatabase()
  const join = async (name: string, version: string) =>
    await test.db.transaction(async (tx) => await joinNodes(tx, { name, bootId: name, version, keys: 'same', ports: [] }))
  await join('a', '1.0.0')
  await expect(join('b', '1.1.0')).rejects.toThrow('This is version 1.1.0 of Berth, and the node "a" runs version 1.0.0.')
  expect(await test.db.selectFrom('control_plane').select('name').execute()).toEqual([{ name: 'a' }])
  await join('a', '1.1.0')
  await test.db.transaction(async (tx) => await leaveNodes(tx, { name: 'a', bootId: 'a' }))
  await join('b', '1.2.0')
})

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
