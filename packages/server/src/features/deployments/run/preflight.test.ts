import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { Engine } from '../../../engine/engine.ts'
import { TUNING } from '../../../lib/tuning.ts'
import { createPreflight } from './preflight.ts'
import type { Context } from './stage.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'berth-preflight-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

const ADMIN = 1
const USER = 2
type Given = {
  version?: string
  oldEngineBuilds?: 'everyone' | 'admins'
  setBy?: number | null
  type?: 'web' | 'compose' | 'database'
  image?: string
}

async function preflight({
  version = '20.10.24+dfsg1',
  oldEngineBuilds = 'admins',
  setBy = USER,
  type = 'web',
  image,
}: Given): Promise<void> {
  const engine = { ping: async () => undefined, facts: async () => ({ version }) } as unknown as Engine // no other function is called
  const tuning = { ...TUNING, diskFloorBytes: 0, fullDiskBytes: 0 }
  const isPrivileged = async (userId: number | null) => userId === ADMIN
  const context = {
    app: { app_type: type, source_set_by: setBy, builder: image === undefined ? 'auto' : 'image', image },
    deployment: { attempts: 1, image: '', main_service: '' },
    config: { env: {}, port: 80 },
    workspace: join(dataDir, 'workspace'),
    signal: AbortSignal.timeout(10_000),
    say: () => undefined,
  } as unknown as Context // only what is read before the first stage
  await createPreflight({ engine, dataDir, tuning, oldEngineBuilds, isPrivileged })(context)
}

it('an old engine builds only sources set by an admin, if the server is configured so', async () => {
  const sentence = 'Docker 20.10.24+dfsg1 on this server has known security holes, so it only builds sources that an admin has set.'
  await expect(preflight({})).rejects.toThrow(sentence)
  await expect(preflight({ type: 'compose' })).rejects.toThrow(sentence)
  await expect(preflight({ setBy: null })).rejects.toThrow(sentence)
  await expect(preflight({ setBy: ADMIN })).resolves.toBeUndefined()
  await expect(preflight({ type: 'database' })).resolves.toBeUndefined()
  await expect(preflight({ version: '25.0.2' })).resolves.toBeUndefined()
  await expect(preflight({ oldEngineBuilds: 'everyone' })).resolves.toBeUndefined()
})

it('an old engine pulls images for members only from public registries, if the server is configured so', async () => {
  const own = { image: 'registry.example.test/team/app:1' }
  await expect(preflight(own)).rejects.toThrow('so apps of members only run images of public registries (docker.io, ghcr.io,')
  await expect(preflight({ ...own, setBy: ADMIN })).resolves.toBeUndefined()
  await expect(preflight({ ...own, version: '25.0.2' })).resolves.toBeUndefined()
  await expect(preflight({ ...own, oldEngineBuilds: 'everyone' })).resolves.toBeUndefined()
  for (const image of ['nginx', 'team/app', 'index.docker.io/team/app', 'ghcr.io/team/app@sha256:'.concat('a'.repeat(64))])
    await expect(preflight({ image })).resolves.toBeUndefined()
})
