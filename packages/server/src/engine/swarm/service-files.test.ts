import { expect, it } from 'vitest'
import { EngineError } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import type { ContainerSpec } from '../container-spec.ts'
import { labelsOf } from '../labels.ts'
import { createServiceFiles, MOST_SECRET_BYTES, tooLargeForSwarm } from './service-files.ts'

const NOW = new Date('2026-01-01T01:00:00Z')
const MIB = 1024 * 1024
const labelsIn = (projectId: number, deploymentId = 7) =>
  labelsOf({ instance: 'abc', kind: 'app', projectId, appId: 10 + projectId, deploymentId, service: '', replica: 1 })
const file = (contents: string) => ({ path: '/app/a', mode: 0o444, contents: Buffer.from(contents) })
type Body = { Name: string; Labels: Record<string, string>; Data: string }

/** The secrets of a Swarm, which refuses a second one of the same name. */
function openLab(used: string[] = []) {
  const secrets = new Map<string, { ID: string; CreatedAt: string; Spec: Body }>()
  const json: Transport['json'] = async ({ method, path, body }) => {
    if (method === 'GET') return [...secrets.values()]
    if (method === 'DELETE') return void secrets.delete(path.replace('/secrets/', ''))
    const Spec = body as Body // our own request
    if ([...secrets.values()].some((each) => each.Spec.Name === Spec.Name)) throw new EngineError(409, 'already exists')
    const ID = `s${secrets.size + 1}`
    secrets.set(ID, { ID, CreatedAt: '2026-01-01T00:00:00Z', Spec })
    return { ID }
  }
  const transport = { json } as Transport // only what is called
  let past = 0
  const files = createServiceFiles({ transport, usedSecrets: async () => new Set(used), now: () => new Date(NOW.getTime() + past) })
  const ensureAll = async (contents: readonly string[], labels = labelsIn(2)) =>
    await files.ensure({ labels, files: contents.map(file) } as unknown as ContainerSpec)
  const ensure = async (contents: string, labels = labelsIn(2)) => await ensureAll([contents], labels)
  return { secrets, ensure, ensureAll, removeUnused: files.removeUnused, later: (ms: number) => void (past += ms) }
}

it('replicas and releases of an app share a file, and another content is another secret', async () => {
  const { ensure, secrets } = openLab()
  const [first] = await ensure('one')
  expect(first).toMatchObject({ id: 's1', path: '/app/a', mode: 0o444 })
  expect(await ensure('one')).toEqual([first])
  expect(await ensure('one', labelsIn(2, 8))).toEqual([first])
  expect((await ensure('two'))[0]?.id).toBe('s2')
  expect(Buffer.from(secrets.get('s1')?.Spec.Data ?? '', 'base64').toString()).toBe('one')
})

it('removes old ones that no container has', async () => {
  const { ensure, secrets, removeUnused, later } = openLab(['s1'])
  for (const contents of ['one', 'two', 'three']) await ensure(contents)
  const third = secrets.get('s3')
  later(5 * 60_000)
  await ensure('two') // an old one, for a service that is about to be created
  later(6 * 60_000)
  if (third) third.CreatedAt = '2026-01-01T01:10:00Z' // likewise
  await removeUnused('abc')
  expect([...secrets.keys()]).toEqual(['s1', 's2', 's3'])
  later(5 * 60_000)
  await removeUnused('abc')
  expect([...secrets.keys()]).toEqual(['s1', 's3'])
})

it('Swarm takes neither nothing nor more than 500 KiB', () => {
  expect(tooLargeForSwarm([file('x'), file('x'.repeat(MOST_SECRET_BYTES))])).toBeUndefined()
  for (const wrong of ['', 'x'.repeat(MOST_SECRET_BYTES + 1)]) expect(tooLargeForSwarm([file('x'), file(wrong)])).toBeDefined()
})

/** So many files of half a MiB, of which no other has the contents. */
const someFiles = (from: number, count: number) => Array.from({ length: count }, (_each, at) => String(from + at).padStart(500_000, 'x'))
const ADDED = Math.floor((32 * MIB) / 500_000)

it('the files of a project have 32 MiB in the Swarm at most, and what is there can always be used again', async () => {
  const { ensureAll, secrets } = openLab()
  await ensureAll(someFiles(0, ADDED - 1))
  await ensureAll(someFiles(ADDED - 1, 1))
  const message = 'The files of the apps of a project have at most 32 MiB on other servers. Try again ten minutes after'
  await expect(ensureAll(someFiles(ADDED - 1, 2))).rejects.toThrow(message)
  expect(secrets.size).toBe(ADDED) // nothing of what was refused
  expect(await ensureAll(someFiles(0, ADDED), labelsIn(2, 8))).toHaveLength(ADDED)
  expect(await ensureAll(someFiles(ADDED, 1), labelsIn(3))).toHaveLength(1)
})

it('the files of all projects have 128 MiB at most, also those of two releases at the same time', async () => {
  const { ensureAll, secrets } = openLab()
  for (const project of [1, 2, 3]) await ensureAll(someFiles(0, ADDED), labelsIn(project))
  const both = await Promise.allSettled([4, 5].map(async (project) => await ensureAll(someFiles(0, ADDED), labelsIn(project))))
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(both[1]).toMatchObject({ reason: { message: expect.stringContaining('The files of all apps have at most 128 MiB on') } })
  expect(secrets.size).toBe(4 * ADDED)
})

it('small files count as 16 KiB each', async () => {
  const { ensureAll } = openLab()
  await ensureAll(Array.from({ length: 2048 }, (_each, at) => String(at)))
  await expect(ensureAll(['one more'])).rejects.toThrow('32 MiB')
})
