import { expect, it } from 'vitest'
import { EngineError } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import type { ContainerSpec } from '../container-spec.ts'
import { labelsOf } from '../labels.ts'
import { createServiceFiles, MOST_SECRET_BYTES, tooLargeForSwarm } from './service-files.ts'

const NOW = new Date('2026-01-01T01:00:00Z')
const labels = labelsOf({ instance: 'abc', kind: 'app', projectId: 2, appId: 4, deploymentId: 7, service: '', replica: 1 })
const file = (contents: string) => ({ path: '/app/a', mode: 0o444, contents: Buffer.from(contents) })
type Body = { Name: string; Data: string }

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
  const files = createServiceFiles({ transport, usedSecrets: async () => new Set(used), now: () => NOW })
  const ensure = async (contents: string) => await files.ensure({ labels, files: [file(contents)] } as unknown as ContainerSpec)
  return { secrets, ensure, removeUnused: files.removeUnused }
}

it('replicas of a release share a file, and another content is another secret', async () => {
  const { ensure, secrets } = openLab()
  const [first] = await ensure('one')
  expect(first).toMatchObject({ id: 's1', path: '/app/a', mode: 0o444 })
  expect(await ensure('one')).toEqual([first])
  expect((await ensure('two'))[0]?.id).toBe('s2')
  expect(Buffer.from(secrets.get('s1')?.Spec.Data ?? '', 'base64').toString()).toBe('one')
})

it('removes old ones that no container has', async () => {
  const { ensure, secrets, removeUnused } = openLab(['s1'])
  for (const contents of ['one', 'two', 'three']) await ensure(contents)
  const third = secrets.get('s3')
  if (third) third.CreatedAt = '2026-01-01T00:59:00Z' // its service is about to be created
  await removeUnused('abc')
  expect([...secrets.keys()]).toEqual(['s1', 's3'])
})

it('Swarm takes neither nothing nor more than 500 KiB', () => {
  expect(tooLargeForSwarm([file('x'), file('x'.repeat(MOST_SECRET_BYTES))])).toBeUndefined()
  for (const wrong of ['', 'x'.repeat(MOST_SECRET_BYTES + 1)]) expect(tooLargeForSwarm([file('x'), file(wrong)])).toBeDefined()
})
