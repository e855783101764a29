import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { planCompose } from '../../src/engine/compose/policy.ts'
import { withRepository } from '../../src/engine/compose/repository.ts'
import { createRepositoryFiles } from '../../src/features/deployments/release/compose/repository-files.ts'
import { FORBIDDEN_COMPOSE } from '../hostile/hostile-compose.ts'

/** What a commit can have beside its compose file: files, and links as `-> where to`. */
type Tree = Readonly<Record<string, string>>
const SECRET = 'not of this repository'
let outside = ''
beforeAll(async () => {
  outside = await mkdtemp(join(tmpdir(), 'berth-outside-'))
  await writeFile(join(outside, 'secret'), SECRET)
})
afterAll(async () => await rm(outside, { recursive: true }))

/** The plan of a commit, with everything that was read for it; or why there is none. */
async function readOf(tree: Tree, file: string): Promise<string> {
  const workspace = await mkdtemp(join(tmpdir(), 'berth-tree-'))
  try {
    for (const [name, content] of Object.entries(tree)) {
      await mkdir(dirname(join(workspace, name)), { recursive: true })
      const [, target] = /^-> (.*)$/.exec(content) ?? []
      if (target === undefined) await writeFile(join(workspace, name), content)
      else await symlink(target.replace('OUTSIDE', outside), join(workspace, name))
    }
    const { read, blobs } = createRepositoryFiles(workspace)
    const settings = { env: {}, volumePrefix: 'berth-abc-app-7', port: null, reservedPorts: [3000], newImageName: () => 'built' }
    const plan = await withRepository((access) => planCompose(file, { ...settings, ...access }), read)
    return JSON.stringify([plan, ...[...blobs.values()].map(String)])
  } catch (cause) {
    return `refused: ${String(cause)}`
  } finally {
    await rm(workspace, { recursive: true })
  }
}

const LINKS = ['-> OUTSIDE/secret', '-> ../../../../../../../../etc/passwd', '-> /proc/self/environ', '-> loop', '-> OUTSIDE'] as const
const WAYS: readonly (readonly [what: string, file: string])[] = [
  ['a bind', 'services: { a: { image: x, volumes: ["./loop:/h"] } }'],
  ['a read-only bind', 'services: { a: { image: x, volumes: ["./loop:/h:ro"] } }'],
  ['a bind below a link', 'services: { a: { image: x, volumes: ["./loop/secret:/h:ro"] } }'],
  ['a bind of the folder with the link', 'services: { a: { image: x, volumes: ["./conf:/h:ro"] } }'],
  ['a bind of the whole repository', 'services: { a: { image: x, volumes: [".:/h:ro"] } }'],
  ['an env file', 'services: { a: { image: x, env_file: loop } }'],
  ['a secret', 'services: { a: { image: x, secrets: [s] } }\nsecrets: { s: { file: ./loop } }'],
  ['a config', 'services: { a: { image: x, configs: [s] } }\nconfigs: { s: { file: ./loop } }'],
  ['an included file', 'include: [loop]\nservices: { a: { image: x } }'],
  ['an included file below a link', 'include: [loop/secret]\nservices: { a: { image: x } }'],
  ['an extended file', 'services: { a: { extends: { file: loop, service: a } } }'],
]

it.each(WAYS)('nothing outside the repository is read by way of %s', async (_what, file) => {
  for (const link of LINKS) {
    const seen = await readOf({ loop: link, 'conf/loop': link, 'conf/a': 'a' }, file)
    expect(seen, link).not.toContain(SECRET)
    expect(seen, link).not.toMatch(/root:x:0|PATH=/)
  }
})

it.each(WAYS.slice(0, 2))('%s that becomes a link in a later commit is what the link may lead to then', async (_what, file) => {
  expect(await readOf({ loop: 'plain' }, file)).toContain('plain')
  expect(await readOf({ loop: '-> OUTSIDE/secret' }, file)).toContain('refused')
  expect(await readOf({ loop: '-> inside', inside: 'still ours' }, file)).toContain('still ours')
})

it('a folder of another commit that has become a link out of the repository is refused', async () => {
  const file = 'services: { a: { image: x, volumes: ["./conf:/h:ro"] } }'
  expect(await readOf({ 'conf/a': 'plain' }, file)).toContain('plain')
  expect(await readOf({ conf: '-> OUTSIDE' }, file)).toContain('refused')
})

it('no file of the repository is that of git', async () => {
  for (const path of ['.git/config', '.git', './conf/../.git/config']) {
    const seen = await readOf({ '.git/config': SECRET, 'conf/a': 'a' }, `services: { a: { image: x, volumes: ["./${path}:/h:ro"] } }`)
    expect(seen, path).not.toContain(SECRET)
  }
})

it('a volume with the name of another app, or of its data on the machine, is a volume of its own', async () => {
  for (const name of ['berth-abc-app-8_data', 'berth-abc-app-8-data', 'berth-abc-app-70_data']) {
    const file = `services: { a: { image: x, volumes: ["d:/h", "${name}:/i"] } }\nvolumes: { d: { name: ${name} }, ${name}: {} }`
    const seen = await readOf({}, file)
    const [plan] = JSON.parse(seen) as [{ services: { mounts: { volume: string }[] }[] }]
    const volumes = plan.services.flatMap(({ mounts }) => mounts.map(({ volume }) => volume))
    expect(volumes).toHaveLength(2)
    for (const volume of volumes) expect(volume).toMatch(/^berth-abc-app-7[_-]/)
  }
  for (const path of ['/var/lib/docker/volumes/berth-abc-app-8_data/_data', './../volumes/berth-abc-app-8_data'])
    expect(await readOf({}, `services: { a: { image: x, volumes: ["${path}:/h"] } }`)).toContain('refused')
})

it('files that include and extend each other end, however they are nested', async () => {
  const names = Array.from({ length: 30 }, (_none, n) => `f${n}.yaml`)
  const chain = Object.fromEntries(names.map((name, n) => [name, `include: [f${n + 1}.yaml]`]))
  expect(await readOf(chain, 'include: [f0.yaml]\nservices: { a: { image: x } }')).toContain('more than 5 other files')
  const star = { 'x.yaml': `include: [${Array(50).fill('x.yaml').join()}]` }
  expect(await readOf(star, 'include: [x.yaml]\nservices: { a: { image: x } }')).toContain('includes itself')
  const deep = Object.fromEntries(Array.from({ length: 25 }, (_none, n) => [`s${n}`, n === 24 ? { image: 'x' } : { extends: `s${n + 1}` }]))
  expect(await readOf({}, JSON.stringify({ services: deep }))).toContain('nested too deeply')
})

it('there are three times as many hostile files as there were at first', () => {
  expect(new Set(FORBIDDEN_COMPOSE.map(([file]) => file)).size).toBeGreaterThanOrEqual(3 * 87)
})
