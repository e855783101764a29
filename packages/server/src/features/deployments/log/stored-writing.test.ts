import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { createStoredWriting } from './stored-writing.ts'

function openLab() {
  let isUp = false
  const closed: number[] = []
  const shared = {
    ship: async () => true,
    close: async (deploymentId: number) => {
      if (isUp) closed.push(deploymentId)
      return isUp
    },
  }
  const log = pino({ level: 'silent' })
  const { begin } = createStoredWriting({ shared, log, pathOf: () => '', writtenBytes: () => 0, closeAgainMs: 10 })
  const write = async () => await begin(7, async () => undefined)
  return { write, closed, comeBack: () => void (isUp = true) }
}

it('the end of a log is stored once the database is back', async () => {
  const { write, closed, comeBack } = openLab()
  await (await write())()
  expect(closed).toEqual([])
  comeBack()
  await vi.waitFor(() => expect(closed).toEqual([7]))
})

it('a log that is written again is closed by its last writer alone', async () => {
  const { write, closed, comeBack } = openLab()
  await (await write())()
  const end = await write()
  comeBack()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(closed).toEqual([])
  await end()
  expect(closed).toEqual([7])
})
