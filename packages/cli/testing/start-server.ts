import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '../../..')
const node = join(root, 'node_modules/node/bin/node')
const START_WITHIN_MS = 90_000

export const OWNER = { email: 'owner@example.com', password: 'correct-horse' }

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}

async function untilAnswers(url: string, child: ChildProcess, said: () => string): Promise<void> {
  const end = performance.now() + START_WITHIN_MS
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${said()}`)
    const isUp = await fetch(`${url}/health`).then(
      () => true,
      () => false,
    )
    if (isUp) return
    await sleep(100)
  }
  throw new Error(`the server did not answer: ${said()}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** A real server from source, without an engine, as a separate process. */
export async function startServer(tuning: { engineWaitMs?: number } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-cli-'))
  const port = await freePort()
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', join(root, 'packages/server/src/main.ts')], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      BERTH_TEST_TUNING: JSON.stringify({ engineWaitMs: 2000, resolveAtAddMs: 200, ...tuning }),
      HOST: '127.0.0.1',
      PORT: String(port),
      BERTH_DATA_DIR: dataDir,
      BERTH_PROVISION: 'off',
      DOCKER_HOST: `unix://${join(dataDir, 'no-engine.sock')}`,
      BERTH_EDGE_HTTP_PORT: String(await freePort()),
      BERTH_EDGE_HTTPS_PORT: String(await freePort()),
      BERTH_OWNER_EMAIL: OWNER.email,
      BERTH_OWNER_PASSWORD: OWNER.password,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(url, child, () => said)
  return {
    url,
    async stop() {
      await stop(child)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type TestServer = Awaited<ReturnType<typeof startServer>>
