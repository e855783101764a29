import { expect, it } from 'vitest'
import { createMeasureContainers } from './measure.ts'

it('measures twice the first time and once afterwards, and returns nothing for a removed container', async () => {
  let [now, reads, isThere] = [0, 0, true]
  const counters = async () => {
    reads += 1
    return isThere ? { cpuNanoseconds: now * 0.5e6, memoryBytes: 1024 } : null // half of a core
  }
  const sleep = async (ms: number) => void (now += ms)
  const measure = createMeasureContainers({ engine: { containers: { counters } }, clock: () => now, sleep })
  expect(await measure('a')).toEqual({ cpu: 50, memory: 1024 })
  expect(reads).toBe(2)
  now += 5000
  expect(await measure('a')).toEqual({ cpu: 50, memory: 1024 })
  expect(reads).toBe(3)
  now += 600_000 // an old reading says nothing about the present
  expect(await measure('a')).toEqual({ cpu: 50, memory: 1024 })
  expect(reads).toBe(5)
  isThere = false
  expect(await measure('a')).toBeUndefined()
})
