import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { engineOf, isEngineUsed, joinRuns, leaveRuns } from '../../testing/harness/engine-runs.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-runs-'))
})
afterEach(async () => await rm(directory, { recursive: true }))

it('a run is the last one if no other is there that lives', async () => {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' })
  await once(other, 'spawn')
  const runs = path.join(directory, 'runs')
  await joinRuns(runs)
  await writeFile(path.join(runs, String(other.pid)), '')
  expect(await leaveRuns(runs)).toBe(false)
  other.kill('SIGKILL')
  await once(other, 'exit')
  expect(await leaveRuns(runs)).toBe(true)
})

it('an engine is used while somebody is connected to its socket', async () => {
  const socketPath = path.join(directory, 'engine.sock')
  await using server = createServer()
  server.listen(socketPath)
  await once(server, 'listening')
  expect(await isEngineUsed({ socketPath })).toBe(false)
  const client = connect(socketPath)
  await once(client, 'connect')
  expect(await isEngineUsed({ socketPath })).toBe(true)
  client.destroy()
  expect(await isEngineUsed({ socketPath })).toBe(false)
})

it('an engine of the tests is known by its process file, which another process does not name', async () => {
  const pidFile = path.join(directory, 'engine.pid')
  expect(await engineOf(pidFile)).toBeUndefined()
  await writeFile(pidFile, String(process.pid))
  expect(await engineOf(pidFile)).toBeUndefined()
  const named = execFile(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', '--', pidFile])
  await once(named, 'spawn')
  await writeFile(pidFile, String(named.pid))
  expect(await engineOf(pidFile)).toBe(named.pid)
  named.kill('SIGKILL')
})
