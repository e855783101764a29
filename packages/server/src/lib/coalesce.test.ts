import { setImmediate as nextTick } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { coalesce, coalesceByKey } from './coalesce.ts'

it('shares the next run among the calls that come during one, and never runs two at once', async () => {
  const gate = Promise.withResolvers<void>()
  let [runs, atOnce, most] = [0, 0, 0]
  const request = coalesce(async () => {
    const number = (runs += 1)
    most = Math.max(most, (atOnce += 1))
    if (number === 1) await gate.promise
    atOnce -= 1
    return number
  })
  const first = request()
  await nextTick()
  const later = [request(), request(), request()]
  gate.resolve()
  expect(await first).toBe(1)
  expect(await Promise.all(later)).toEqual([2, 2, 2])
  expect(most).toBe(1)
})

it('continues after a failed run', async () => {
  let runs = 0
  const request = coalesce(async () => {
    runs += 1
    if (runs === 1) throw new Error('the first one')
    return runs
  })
  await expect(request()).rejects.toThrow('the first one')
  expect(await request()).toBe(2)
})

it('gives every call a run that started after it', async () => {
  const steps = fc.array(fc.constantFrom('call', 'pass time', 'fail next'), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      let [clock, atOnce, most, failNext] = [0, 0, 0, false]
      const request = coalesce(async () => {
        const beganAt = (clock += 1)
        const fails = failNext
        failNext = false
        most = Math.max(most, (atOnce += 1))
        await nextTick()
        atOnce -= 1
        if (fails) throw new Error(String(beganAt))
        return beganAt
      })
      const calls: Promise<{ calledAt: number; beganAt: number }>[] = []
      for (const step of script) {
        if (step === 'pass time') await nextTick()
        else if (step === 'fail next') failNext = true
        else {
          const calledAt = (clock += 1)
          const began = request().catch((cause: unknown) => Number(cause instanceof Error ? cause.message : cause))
          calls.push(began.then((beganAt) => ({ calledAt, beganAt })))
        }
      }
      const pairs = await Promise.all(calls)
      expect(pairs.filter(({ calledAt, beganAt }) => beganAt <= calledAt)).toEqual([])
      expect(most).toBeLessThanOrEqual(1)
    }),
  )
})

it('keeps keys apart, and forgets those that nobody waits for', async () => {
  const runs: string[] = []
  const gate = Promise.withResolvers<void>()
  const request = coalesceByKey(async (key: string) => {
    runs.push(key)
    await gate.promise
    return `${key}${runs.length}`
  })
  const asked = ['a', 'b', 'a', 'a'].map(async (key) => await request(key))
  await nextTick()
  expect(runs).toEqual(['a', 'b'])
  gate.resolve()
  expect(await Promise.all(asked)).toEqual(['a2', 'b2', 'a2', 'a2'])
  expect(await request('a')).toBe('a3')
})
