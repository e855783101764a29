import { expect, it } from 'vitest'
import { EngineError } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import { createSwarm } from './swarm.ts'

function lab(answers: readonly (Error | undefined)[]) {
  const asked: string[] = []
  const json = async ({ path }: { path: string }) => {
    const failure = answers[asked.length]
    asked.push(path)
    if (failure) throw failure
  }
  return { ...createSwarm({ transport: { json } as unknown as Transport }), asked } // all of it that is used
}

const SLOW = new EngineError(500, 'context deadline exceeded')

it('is left although the engine does not wait until everything of it has ended', async () => {
  const slow = lab([SLOW, SLOW])
  await slow.turnOff()
  expect(slow.asked).toEqual(['/swarm/leave', '/swarm/leave', '/swarm/leave'])
})

it('is not left again and again when the engine refuses, or never ends', async () => {
  const refused = lab([new EngineError(503, 'This node is not part of a swarm')])
  await expect(refused.turnOff()).rejects.toThrow('not part of a swarm')
  expect(refused.asked).toHaveLength(1)
  const stuck = lab([SLOW, SLOW, SLOW, SLOW, SLOW, SLOW])
  await expect(stuck.turnOff()).rejects.toThrow('deadline exceeded')
  expect(stuck.asked).toHaveLength(5)
})
