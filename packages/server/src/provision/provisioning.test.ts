import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import type { EngineAddress } from '../engine/api/address.ts'
import { createProvisioning, whyNot } from './provisioning.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function emptyDir(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-provision-'))
  cleanups.push(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** An HTTP server on a unix socket that answers every request with this status. */
async function answering(status: number): Promise<EngineAddress> {
  const socketPath = path.join(await emptyDir(), 'engine.sock')
  const server: Server = createServer((request, response) => response.writeHead(request.url === '/_ping' ? status : 404).end('OK'))
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  cleanups.push(() => new Promise((resolve) => server.close(() => resolve())))
  return { socketPath }
}

async function provisioning(options: { engine: EngineAddress; mode: 'auto' | 'off' }) {
  return createProvisioning({ ...options, log: pino({ level: 'silent' }), dataDir: await emptyDir() })
}

describe('provisioning', () => {
  it('is checking before it has looked', async () => {
    const part = await provisioning({ engine: { socketPath: '/nowhere.sock' }, mode: 'off' })
    expect(part.state().phase).toBe('checking')
  })

  it('uses the engine that answers, whatever the mode', async () => {
    const engine = await answering(200)
    for (const mode of ['auto', 'off'] as const) {
      const part = await provisioning({ engine, mode })
      expect(await part.ensureEngine(new AbortController().signal)).toMatchObject({ phase: 'ready' })
      expect(part.state().phase).toBe('ready')
    }
  })

  it('does not use an engine that responds with an error', async () => {
    const part = await provisioning({ engine: await answering(500), mode: 'off' })
    expect(await part.ensureEngine(new AbortController().signal)).toMatchObject({ phase: 'off' })
  })

  it('installs nothing when it is off, and says what to do', async () => {
    const part = await provisioning({ engine: { socketPath: '/nowhere.sock' }, mode: 'off' })
    const state = await part.ensureEngine(new AbortController().signal)
    expect(state.phase).toBe('off')
    expect(state.message).toContain('BERTH_PROVISION=off')
    expect(state.message).toContain('DOCKER_HOST')
  })

  it('never starts an engine for an address on another machine', async () => {
    const part = await provisioning({ engine: { host: '127.0.0.1', port: 9 }, mode: 'auto' })
    const state = await part.ensureEngine(new AbortController().signal)
    expect(state).toMatchObject({ phase: 'failed' })
    expect(state.message).toContain('tcp://127.0.0.1:9')
  })

  it('says that installing needs root on Debian where that is the obstacle', () => {
    const local = { mode: 'auto', engine: { socketPath: '/nowhere.sock' } } as const
    expect(whyNot({ ...local, mayInstall: false })).toContain('needs root on Debian')
    expect(whyNot({ ...local, mayInstall: true })).toBeUndefined()
  })
})
