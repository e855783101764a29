import { expect, it } from 'vitest'
import { EngineError, EngineUnreachable, ServerAway, VolumeLost } from '../../engine/api/errors.ts'
import { whenReachable } from './when-reachable.ts'

it.each([
  [new EngineUnreachable('x'), 'engine_unreachable', 'not responding'],
  [new EngineError(500, 'no'), 'engine_unreachable', 'The container engine refused: no'],
  [new ServerAway('It waits.'), 'server_away', 'It waits.'],
  [new VolumeLost('It is gone.'), 'volume_lost', 'It is gone.'],
])('%s is %s', async (cause, code, words) => {
  const work = async () => await Promise.reject(cause)
  await expect(whenReachable(work)).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
})
