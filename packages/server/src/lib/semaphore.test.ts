import { setImmediate as nextTick } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSemaphore, SemaphoreFull } from './semaphore.ts'

it('runs a limited number at once, the others in order, and continues after one that fails', async () => {
  const semaphore = createSemaphore(2)
  const begun: number[] = []
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>())
  const work = (index: number, promise: Promise<number>) => () => {
    begun.push(index)
    return promise
  }
  const settled = Promise.allSettled(gates.map(({ promise }, index) => semaphore.run(work(index, promise))))
  await nextTick()
  expect(begun).toEqual([0, 1])
  gates[1]?.reject(new Error('no'))
  await nextTick()
  expect(begun).toEqual([0, 1, 2])
  for (const [index, gate] of gates.entries()) gate.resolve(index)
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  expect(begun).toEqual([0, 1, 2, 3, 4])
  expect(await semaphore.run(async () => 6)).toBe(6)
})

it('lets those who ask for it go first, and refuses when as many wait as may, in each of the two queues', async () => {
  const semaphore = createSemaphore(1, { mostWaiting: 1 })
  const order: string[] = []
  const enter = (name: string, isFirst: boolean) => semaphore.run(async () => void order.push(name), { isFirst })
  const leave = await semaphore.acquire()
  const waiting = [enter('other', false), enter('first', true)]
  await expect(enter('one too many', false)).rejects.toThrow(SemaphoreFull)
  await expect(enter('one too many', true)).rejects.toThrow(SemaphoreFull)
  leave()
  await Promise.all(waiting)
  expect(order).toEqual(['first', 'other'])
})

it('never exceeds its slots, and lets everybody in eventually', async () => {
  const visitors = fc.array(fc.record({ isFirst: fc.boolean(), fails: fc.boolean(), pause: fc.boolean() }), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), visitors, async (places, script) => {
      const semaphore = createSemaphore(places)
      let [inside, most, ended] = [0, 0, 0]
      const visit = async (fails: boolean) => {
        most = Math.max(most, (inside += 1))
        await nextTick()
        inside -= 1
        ended += 1
        if (fails) throw new Error('a mistake')
      }
      const visits = script.map(async ({ isFirst, fails, pause }) => {
        if (pause) await nextTick()
        await semaphore.run(() => visit(fails), { isFirst })
      })
      const outcomes = await Promise.allSettled(visits)
      expect(outcomes.map(({ status }) => status)).toEqual(script.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')))
      expect(most).toBeLessThanOrEqual(places)
      expect([inside, ended]).toEqual([0, script.length])
    }),
  )
})
