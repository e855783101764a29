import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isListening } from './engine-ping.ts'
import { startEngine } from './engine-process.ts'

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
