import { expect, it } from 'vitest'
import { type ComposeSettings, planCompose } from './policy.ts'
import { type RepoEntry, withRepository } from './repository.ts'

const settings: ComposeSettings = { env: {}, volumePrefix: 'berth-abc-app-7', port: null, reservedPorts: [], newImageName: () => 'built' }

async function planOf(text: string, files: Record<string, string | RepoEntry>, directory = '') {
  const read = async (name: string): Promise<RepoEntry> => {
    const file = files[name]
    return typeof file === 'string' ? { kind: 'file', mode: 0o644, blob: name, text: file } : (file ?? { kind: 'missing' })
  }
  return await withRepository((access) => planCompose(text, { ...settings, directory, ...access }), read)
}

it('a service inherits from the one it extends, in the same file or another, and its own settings win', async () => {
  const common = `
services:
  app: { extends: base, environment: [A=1, B=1], volumes: ['data:/data', 'logs:/logs'], depends_on: [db] }
  base: { image: 'base:1', command: [a, b], environment: { C: 1 }, cap_drop: [ALL] }
`
  const text = `
services:
  web: { extends: { file: ./common.yml, service: app }, image: 'web:2', command: [c], environment: { B: 2 }, volumes: ['other:/data'] }
  copy: { extends: web, user: me }
  db: { image: postgres }
`
  const { services } = await planOf(text, { 'app/common.yml': common }, 'app')
  const web = services.find(({ name }) => name === 'web')
  expect(web).toMatchObject({ image: 'docker.io/library/web:2', command: ['c'], environment: { A: '1', B: '2', C: '1' }, capDrop: ['ALL'] })
  expect(web?.mounts.map(({ volume, path }) => `${volume.slice(15)}${path}`)).toEqual(['_other/data', '_logs/logs'])
  expect(web?.dependsOn).toEqual([{ service: 'db', condition: 'service_started' }])
  expect(services.find(({ name }) => name === 'copy')).toMatchObject({ user: 'me', command: ['c'] })
})

it('an included file adds its services, volumes, configs and secrets', async () => {
  const other = 'services: { db: { image: postgres, secrets: [key] } }\nsecrets: { key: { content: x } }\ninclude: [third.yml]'
  const third = 'services: { cache: { image: redis } }'
  const plan = await planOf('include: [other.yml]\nservices: { web: { image: x } }', { 'other.yml': other, 'third.yml': third })
  expect(plan.services.map(({ name }) => name)).toEqual(['web', 'db', 'cache'])
  expect(plan.services[1]?.files).toMatchObject([{ path: '/run/secrets/key', text: 'x' }])
})

it('paths in a file of another folder begin in that folder', async () => {
  const sub = `
include: [deeper/y.yml]
services:
  db:
    image: postgres
    env_file: [db.env, { path: more.env }]
    volumes: ['./init:/init:ro', 'data:/data', { type: bind, source: ../shared, target: /shared, read_only: true }]
    secrets: [key]
  api: { build: ., extends: { file: deeper/y.yml, service: base } }
  job: { build: { dockerfile: Job.Dockerfile } }
secrets: { key: { file: ./key.txt } }
`
  const folder: RepoEntry = { kind: 'directory', files: [{ path: 'f', mode: 0o644, blob: 'b' }] }
  const plan = await planOf(
    'include: [infra/x.yml]\nservices: { web: { image: x } }',
    {
      'app/infra/x.yml': sub,
      'app/infra/deeper/y.yml': 'services: { base: { image: x, env_file: base.env } }',
      'app/infra/deeper/base.env': 'BASE=1',
      'app/infra/db.env': 'DB=1',
      'app/infra/more.env': 'MORE=1',
      'app/infra/init': folder,
      'app/shared': folder,
      'app/infra/key.txt': 'secret',
    },
    'app',
  )
  const of = (name: string) => plan.services.find((service) => service.name === name)
  expect(of('db')).toMatchObject({ environment: { DB: '1', MORE: '1' }, files: [{ path: '/run/secrets/key', blob: 'app/infra/key.txt' }] })
  expect(of('db')?.mounts.map(({ path, readOnly }) => [path, readOnly])).toEqual([
    ['/init', true],
    ['/data', undefined],
    ['/shared', true],
  ])
  expect(of('api')?.environment).toEqual({ BASE: '1' })
  expect(plan.builds.map(({ context, dockerfile }) => [context, dockerfile])).toEqual([
    ['infra', 'Dockerfile'],
    ['infra', 'Job.Dockerfile'],
  ])
})

const own = 'services: { a: { image: x } }'
it.each<[string, string, Record<string, string | RepoEntry>, string]>([
  ['a URL', `include: ["https://example.test/x.yml"]\n${own}`, {}, 'include'],
  ['a git address', `include: ["git@example.test:a/b.git"]\n${own}`, {}, 'include'],
  ['a path of the machine', `include: [/etc/x.yml]\n${own}`, {}, 'is not a path in the repository'],
  ['another folder', `include: [../x.yml]\n${own}`, {}, 'is not a path in the repository'],
  [
    'a folder below that leads out',
    `include: [sub/x.yml]\n${own}`,
    { 'sub/x.yml': 'include: [../../x.yml]' },
    'is not a path in the repository',
  ],
  [
    'a bind of a folder below that leads out',
    `include: [sub/x.yml]\n${own}`,
    { 'sub/x.yml': 'services: { b: { image: x, volumes: ["../../etc:/e"] } }' },
    'is not a path in the repository',
  ],
  [
    'a variable as a path of a folder below',
    `include: [sub/x.yml]\n${own}`,
    { 'sub/x.yml': 'services: { b: { image: x, volumes: ["${D:-/}:/e"] } }' },
    'starts with a variable',
  ],
  [
    'a path of the machine in a folder below',
    `include: [sub/x.yml]\n${own}`,
    { 'sub/x.yml': 'services: { b: { image: x, volumes: ["/etc:/e"] } }' },
    'services.b.volumes (host path /etc)',
  ],
  [
    'a link that leads out',
    `include: [x.yml]\n${own}`,
    { 'x.yml': { kind: 'refused', why: 'points outside the repository' } },
    'points outside',
  ],
  ['an env file of its own', `include: [{ path: x.yml, env_file: /etc/environment }]\n${own}`, { 'x.yml': own }, 'include.env_file'],
  ['itself', `include: [x.yml]\n${own}`, { 'x.yml': 'include: [x.yml]' }, 'includes itself'],
  ['a service twice', `include: [x.yml]\n${own}`, { 'x.yml': own }, 'is defined in two files'],
  [
    'what is not allowed',
    `include: [x.yml]\n${own}`,
    { 'x.yml': 'services: { b: { image: x, privileged: true } }' },
    'services.b.privileged',
  ],
  ['a binary', `include: [x.yml]\n${own}`, { 'x.yml': { kind: 'file', mode: 0, blob: 'b', text: null } }, 'is not a text'],
  [
    'many files',
    `include: [${Array.from({ length: 6 }, (_none, n) => `f${n}.yml`).join()}]\n${own}`,
    Object.fromEntries(Array.from({ length: 6 }, (_none, n) => [`f${n}.yml`, `services: { s${n}: { image: x } }`])),
    'refers to more than 5 other files',
  ],
  [
    'long files',
    `include: [x.yml, y.yml]\n${own}`,
    { 'x.yml': `#${'x'.repeat(200_000)}`, 'y.yml': `#${'x'.repeat(200_000)}` },
    'more than 256 KiB in total',
  ],
  ['a variable in the name', `include: ["\${X:-x}.yml"]\n${own}`, {}, 'include'],
  ['a circle', 'services: { a: { extends: b }, b: { extends: a } }', {}, 'is circular'],
  [
    'a circle over files',
    'services: { a: { extends: { file: x.yml, service: a } } }',
    { 'x.yml': 'services: { a: { extends: { file: x.yml, service: a } } }' },
    'is circular',
  ],
  ['nobody', 'services: { a: { extends: nobody } }', {}, 'names the service nobody'],
  ['a prototype', 'services: { a: { extends: constructor } }', {}, 'names the service constructor'],
  [
    'a privileged one',
    'services: { a: { extends: { file: x.yml, service: p } } }',
    { 'x.yml': 'services: { p: { image: x, pid: host } }' },
    'services.a.pid',
  ],
  ['a file elsewhere', 'services: { a: { extends: { file: /etc/passwd, service: a } } }', {}, 'is not a path in the repository'],
  [
    'an env file of a folder that leads out',
    'services: { a: { extends: { file: sub/x.yml, service: a } } }',
    { 'sub/x.yml': 'services: { a: { image: x, env_file: ../../.env } }' },
    'is not a path in the repository',
  ],
  [
    'a long service very often',
    JSON.stringify({
      services: Object.fromEntries(Array.from({ length: 25 }, (_none, n) => [`s${n}`, { extends: { file: 'x.yml', service: 'a' } }])),
    }),
    {
      'x.yml': JSON.stringify({
        services: { a: { image: 'x', labels: Object.fromEntries(Array.from({ length: 9000 }, (_none, n) => [`l${n}`, 1])) } },
      }),
    },
    'extend each other to more than 40000 values',
  ],
])('refuses what would reach further: %s', async (_what, text, files, reason) => {
  await expect(planOf(text, files)).rejects.toThrow(reason)
})
