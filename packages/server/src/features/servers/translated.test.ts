import { expect, it } from 'vitest'
import { EngineError, EngineUnreachable } from '../../engine/api/errors.ts'
import { answered } from '../../engine/swarm/swarm.ts'
import { translated } from './translated.ts'

const codeOf = async (cause: Error) => await translated(async () => await answered(Promise.reject(cause))).catch((error: unknown) => error)

it.each([
  new EngineError(
    500,
    'rpc error: code = Unknown desc = The swarm does not have a leader. It is possible that too few managers are online.',
  ),
  new EngineError(503, 'rpc error: code = DeadlineExceeded desc = context deadline exceeded'),
  new EngineError(500, 'rpc error: code = Unknown desc = raft: failed to process the request: node lost leader status'),
  new EngineError(500, 'rpc error: code = Unavailable desc = transport is closing'),
  new EngineUnreachable('it did not answer in time'),
])('says that the servers do not answer, or elect a leader: %s', async (cause) => {
  expect(await codeOf(cause)).toMatchObject({ code: 'swarm_unavailable' })
})

it('tells an engine that is not there from one that says no, and keeps its words', async () => {
  expect(await codeOf(new EngineUnreachable('ENOENT'))).toMatchObject({ code: 'engine_unreachable' })
  const quorum = new EngineError(
    400,
    "rpc error: code = FailedPrecondition desc = can't remove member from the raft: this would result in a loss of quorum",
  )
  expect(await codeOf(quorum)).toMatchObject({
    code: 'server_refused',
    message: "Docker refused: can't remove member from the raft: this would result in a loss of quorum",
  })
  const bug = new Error('a bug')
  expect(await codeOf(bug)).toBe(bug)
})
