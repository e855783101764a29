import { expect, it } from 'vitest'
import { BuildFailed } from '../api/errors.ts'
import { followBuild } from './follow.ts'

async function failureOf(message: string): Promise<BuildFailed> {
  async function* chunks() {
    yield Buffer.from(`${JSON.stringify({ errorDetail: { message } })}\n`)
  }
  const follower = { onLine: () => undefined, signal: new AbortController().signal }
  const cause: unknown = await followBuild(chunks(), follower, { heard: () => undefined, parts: () => undefined }).catch(
    (error: unknown) => error,
  )
  if (cause instanceof BuildFailed) return cause
  throw new Error('the build did not fail')
}

it('of a reason as long as a Dockerfile its beginning and its end are kept', async () => {
  const { reason, message, outOfMemory } = await failureOf(`process "${'x'.repeat(100_000)}" failed: exit code: 137`)
  expect(reason).toMatch(/^process "x+ … x+" failed: exit code: 137$/)
  expect(reason.length).toBeLessThan(5000)
  expect(message.length).toBeLessThan(5100)
  expect(outOfMemory).toBe(true)
})

it('a reason of the usual length is kept as it is', async () => {
  expect((await failureOf('no such stage')).reason).toBe('no such stage')
})
