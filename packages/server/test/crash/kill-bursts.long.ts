import { expect, it } from 'vitest'
import { killBursts } from './kill-bursts.ts'

const ROUNDS = 200

it('two hundred kills lose no answered write', async () => {
  const count = await killBursts({
    rounds: ROUNDS,
    onRound: ({ rounds, answered, cut, lost }) => {
      if (rounds % 10 === 0) process.stdout.write(`${rounds} rounds: ${answered} answered, ${cut} cut off, ${lost.length} lost\n`)
    },
  })
  const { lost, halfWritten, integrity } = count
  process.stdout.write(
    `${count.rounds} kills, ${count.answered} answered writes, ${count.cut} cut off, ${lost.length} lost, ${halfWritten.length} half-written, ${integrity.length} integrity errors\n`,
  )
  expect({ lost, halfWritten, integrity }).toEqual({ lost: [], halfWritten: [], integrity: [] })
})
