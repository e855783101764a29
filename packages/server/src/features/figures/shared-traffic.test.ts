import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { AccessTake } from '../../edge/traffic/access-counts.ts'
import type { Db } from '../../store/database.ts'
import { createSharedTraffic } from './shared-traffic.ts'

it('the node that takes samples gets what went through the edges of all of them, once', async () => {
  await using test = await openTestDatabase()
  const app = await addApp(test.db, 'a@example.test')
  const key = `app-${app.id}`
  let holder = 'a'
  let isAway = false
  const transaction: Db['transaction'] = async (work, options) =>
    isAway ? await Promise.reject(new Error('the database is away')) : await test.db.transaction(work, options)
  const db = { ...test.db, transaction }
  const open = (node: string) => {
    const served = new Map<string, AccessTake>()
    const take = (isKnown: (appKey: string) => boolean) => {
      const taken = new Map([...served].filter(([each]) => isKnown(each)))
      served.clear()
      return taken
    }
    const serve = (requests: number, p50Ms: number) => void served.set(key, { requests, errors: 1, p50Ms, p99Ms: p50Ms * 2 })
    return { serve, ...createSharedTraffic({ db, node, take, isHolder: () => holder === node }) }
  }
  const [a, b, c] = [open('a'), open('b'), open('c')]
  a.serve(10, 10)
  b.serve(20, 40)
  c.serve(5, 40)
  for (const node of [a, b, c]) await node.leave()
  b.serve(10, 40)
  await b.leave()
  const all = () => true
  expect([...(await a.takeAll(all))]).toEqual([[key, { requests: 45, errors: 4, p50Ms: (10 * 10 + 40 * 35) / 45, p99Ms: 80 }]])
  expect((await a.takeAll(all)).size).toBe(0)
  holder = 'b'
  a.serve(1, 5)
  await a.leave()
  expect((await b.takeAll(all)).get(key)?.requests).toBe(1)
  isAway = true
  for (const node of [a, b]) node.serve(3, 5)
  await expect(a.leave()).rejects.toThrow('away')
  await expect(b.takeAll(all)).rejects.toThrow('away')
  isAway = false
  a.serve(1, 5)
  await a.leave()
  await a.leave()
  expect((await b.takeAll(all)).get(key)?.requests).toBe(7)
})
