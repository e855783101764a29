import { expect, it } from 'vitest'
import type { Engine } from '../../../engine/engine.ts'
import { createAppContainers } from './app-containers.ts'

it('of very long output only the end is read', async () => {
  const lineOf = (n: number) => ({ at: new Date(n * 1000).toISOString(), stream: 'stdout' as const, line: `${n} `.padEnd(16_000, 'x') })
  const engine = {
    containers: { inspect: async () => ({ id: 'c', isTty: false }) },
    async *logs() {
      for (let n = 1; n <= 100; n += 1) yield lineOf(n)
    },
  } as unknown as Engine // what is asked of it
  const containers = createAppContainers({ engine, instance: 'abc' })
  const printed = await containers.printedBy({ id: 'c', isTty: false })
  expect(printed.at(-1)).toEqual(lineOf(100))
  expect(printed).toHaveLength(32) // 512 KiB
  expect((await containers.lastLines('c', 200)).map((line) => line.slice(0, 3))).toEqual(['100'])
})
