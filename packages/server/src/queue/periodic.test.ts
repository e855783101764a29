import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createBackground } from './periodic.ts'

it('a task that fails rests a while, however often it is woken meanwhile', async () => {
  const background = createBackground(pino({ level: 'silent' }))
  let runs = 0
  background.add({
    name: 'failing',
    everyMs: 60_000,
    run: async () => {
      runs += 1
      if (runs < 1000) background.wake('failing')
      throw new Error('the disk is full')
    },
  })
  await sleep(200)
  await background.stop()
  expect(runs).toBeLessThan(100)
})
