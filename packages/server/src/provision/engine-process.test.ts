import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isListening } from './engine-ping.ts'
import { startEngine } from './engine-process.ts'
import { engineStartLock } from './engine-start-lock.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-engine-'))
})
afterEach(async () => await rm(directory, { recursive: true }))

it('an engine that is too busy to respond is waited for, and no second one takes its socket', async () => {
  let isBusy = true
  const engine = { socketPath: path.join(directory, 'engine.sock') }
  await using server = createServer((_, response) => void (isBusy || response.end('OK')))
  server.listen(engine.socketPath)
  await once(server, 'listening')
  expect(await isListening(engine)).toBe(true)
  setTimeout(() => (isBusy = false), 1000)
  expect(await startEngine({ engine, logDir: path.join(directory, 'log') })).toEqual({ ok: true, pid: undefined })
  server.closeAllConnections()
})

it('nobody listens without a socket', async () => {
  expect(await isListening({ socketPath: path.join(directory, 'none.sock') })).toBe(false)
})

it('of two processes that start an engine at one address at once, one waits for the other', async () => {
  const engine = { socketPath: path.join(directory, 'engine.sock') }
  const first = await engineStartLock(engine, 1000)
  let isSecond = false
  const second = engineStartLock(engine, 10_000).then((lock) => {
    isSecond = true
    return lock
  })
  await using _other = await engineStartLock({ socketPath: path.join(directory, 'other.sock') }, 1000)
  expect(isSecond).toBe(false)
  await first?.[Symbol.asyncDispose]()
  await using _second = await second
  await using _late = await engineStartLock(engine, 300) // whoever holds it for ever stops nobody
})
