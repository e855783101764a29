import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startTestServer } from '../src/testing/start-test-server.ts'

const run = promisify(execFile)
const MEGABYTE = 1024 * 1024

/** A small disk of its own, or why there is none. */
async function mountSmallDisk(megabytes: number) {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'berth-test', directory])
  } catch (cause) {
    await rm(directory, { recursive: true })
    return { unavailable: `no file system can be mounted here: ${String(cause).split('\n')[0]}` }
  }
  return {
    directory,
    /** Writes until there is no room for one more byte. */
    async fill(): Promise<void> {
      const file = await open(path.join(directory, 'filler'), 'a')
      for (const size of [MEGABYTE, 64 * 1024, 4096, 512]) {
        const bytes = Buffer.alloc(size)
        while (
          await file.write(bytes).then(
            () => true,
            () => false,
          )
        );
      }
      await file.close()
    },
    free: async () => await rm(path.join(directory, 'filler'), { force: true }),
    async [Symbol.asyncDispose](): Promise<void> {
      await run('umount', [directory])
      await rm(directory, { recursive: true })
    },
  }
}

it('on a full disk changes are refused clearly, reading goes on, and room again is all it takes', async (context) => {
  const disk = await mountSmallDisk(48)
  if ('unavailable' in disk) return context.skip(disk.unavailable)
  await using mounted = disk
  await using berth = await startTestServer({ dataDir: mounted.directory })
  const owner = await berth.owner()
  const project = await owner.call('projects.create', { name: 'Before' })
  const app = await owner.call('apps.create', { projectId: project.id, name: 'app' })

  await mounted.fill()
  const answered: string[] = []
  let refused: { status: number; code: string | undefined } | undefined
  for (let n = 0; n < 200 && refused === undefined; n += 1) {
    const body = { appId: app.id, key: `KEY_${n}`, value: 'x'.repeat(60_000) } // what the log of the database has reserved is used up first
    const answer = await berth.raw('POST', '/api/apps/envs/create', { cookie: owner.cookie, body })
    if (answer.status === 200) answered.push(`KEY_${n}`)
    else refused = { status: answer.status, code: answer.json.code }
  }
  expect(refused).toEqual({ status: 503, code: 'storage_unavailable' })

  expect((await owner.call('projects.get', { id: project.id })).applications).toHaveLength(1)
  expect((await owner.call('envs.list', { appId: app.id })).map(({ key }) => key)).toEqual(answered)
  const full = await berth.raw('GET', '/health')
  expect([full.status, full.json]).toMatchObject([200, { status: 'degraded', checks: { database: 'read_only' } }])
  expect((await berth.raw('POST', '/api/projects/create', { cookie: owner.cookie, body: { name: 'x'.repeat(90) } })).status).toBe(503)

  await mounted.free()
  await owner.call('projects.create', { name: 'After' })
  expect((await owner.call('health')).checks.database).toBe('ok')
  expect((await owner.call('projects.list')).map(({ name }) => name)).toEqual(['Before', 'After'])
  await berth.restart()
  expect((await owner.call('envs.list', { appId: app.id })).map(({ key }) => key)).toEqual(answered)
})
