import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEngine } from '../../../engine/engine.ts'
import { RegistryError } from '../../../engine/registry-failure.ts'
import { createSourcePolicy } from '../../../git/source-policy.ts'
import { createRegistryGate } from '../../registries/registry-gate.ts'
import { createCheckDockerfile } from './check-dockerfile.ts'

let directory = ''
let version = ''
/** What the engine returns for any image. */
let image: object = {}
const server = createServer((request, response) => {
  const info = { ServerVersion: version, OSType: 'linux', Architecture: 'x86_64' }
  response.setHeader('content-type', 'application/json').end(JSON.stringify(request.url?.includes('/info') ? info : image))
})

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-dockerfile-'))
  server.listen(join(directory, 'engine.sock'))
  await once(server, 'listening')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(directory, { recursive: true })
})

/** What a registry says to a project without the credentials for it. */
async function refuseOthersDigest(name: string, projectId: number): Promise<void> {
  if (name.startsWith('registry.example/private@') && projectId === 7) throw new RegistryError('unauthorized', `no ${name} for you`)
}

const ADMIN = 1
const MEMBER = 2

/** A server without packet rules, where nobody allowed another registry. */
const gate = createRegistryGate({
  hasEngineFirewall: () => false,
  privateHosts: [],
  isPrivileged: async (id) => id === ADMIN,
  isAddedByStaff: async () => false,
})

async function check(text: string, buildArgs: Record<string, string> = {}, setBy = ADMIN): Promise<void> {
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [] })
  const file = join(directory, 'Dockerfile')
  await writeFile(file, text)
  const log = { info: () => undefined, warn: () => undefined }
  const engine = createEngine({ address: { socketPath: join(directory, 'engine.sock') }, log, now: () => new Date() })
  const checkDockerfile = createCheckDockerfile({
    inPullPlace: async (_project, _waiting, pull) => await pull(),
    refuseOthersDigest,
    refuseImage: gate.refuseImage,
    policy,
    hasEngineFirewall: () => true,
    engine,
  })
  await using _ = await checkDockerfile(file, { projectId: 7, setBy, signal: AbortSignal.timeout(10_000), buildArgs })
}

it('a Dockerfile that takes long to read is refused', async () => {
  version = '27.5.1'
  await check(`FROM scratch\n${'#\n'.repeat(60_000)}`)
  await expect(check(`FROM scratch\n${'#\n'.repeat(70_000)}`)).rejects.toThrow('The Dockerfile is longer than 128 KiB.')
})

it('a build whose variables would make a line too long is refused before it starts, with the line number', async () => {
  version = '27.5.1'
  const steps = 'bcde'.split('').map((name, index) => `ARG ${name}=${`$${'abcd'[index]}`.repeat(10)}`)
  const short = ['FROM scratch', `ARG a=${'x'.repeat(100)}`]
  await expect(check(short.join('\n'))).resolves.toBeUndefined()
  await expect(check([...short, ...steps, 'LABEL l=$e'].join('\n'))).rejects.toThrow(/^Line 5 of the Dockerfile is longer than 64 KiB/)
  await expect(check('FROM scratch\nARG a\nLABEL l=$a', { a: 'x'.repeat(100_000) })).rejects.toThrow(/^Line 3 of the Dockerfile/)
})

it('a path within a cache is refused if the engine is too old to mount it safely, with the line and a hint', async () => {
  const text = 'FROM scratch\nRUN --mount=type=cache,target=/c true\nRUN --mount=type=cache,source=a,target=/c true'
  version = '25.0.2'
  await expect(check(text)).resolves.toBeUndefined()
  version = '20.10.24+dfsg1'
  await expect(check(text)).rejects.toThrow(
    'Line 3 of the Dockerfile mounts a path within a cache (--mount=type=cache,source=a,target=/c). That is not possible on this server, because its engine (Docker 20.10.24+dfsg1) has a known vulnerability there. Mount the whole cache, without source, or update the engine to Docker 25.0.2 or newer.',
  )
  version = ''
  await expect(check(text)).rejects.toThrow('its engine (of an unknown version) has a known vulnerability there')
})

it('an old engine refuses base images whose triggers do that, and those that cannot be checked', async () => {
  const made = { Id: 'x', Os: 'linux', Architecture: 'amd64' }
  const harmless = ['RUN --mount=type=cache,target=/c make', 'COPY . /app']
  version = '20.10.24'
  image = { ...made, Config: { OnBuild: harmless } }
  for (const text of ['FROM a/b', 'FROM node:20', 'FROM node:20 AS x\nFROM x', 'ARG V=1\nFROM --platform=$BUILDPLATFORM a/b:$V'])
    await expect(check(text)).resolves.toBeUndefined()
  await expect(check('FROM a/b:$V')).rejects.toThrow('Line 1 of the Dockerfile uses a/b:$V, which is not known before the build.')
  await expect(check('FROM --platform=linux/s390x a/b')).rejects.toThrow('Line 1 of the Dockerfile uses a/b for linux/s390x.')
  image = { ...made, Variant: 'v9', Config: {} }
  await expect(check('FROM a/b')).rejects.toThrow('uses a/b, which is made for linux/amd64/v9. This server needs linux/amd64.')
  image = { ...made, Config: { OnBuild: [...harmless, 'RUN --mount=type=cache,src=x,target=/c make'] } }
  await expect(check('FROM scratch\nFROM a/b')).rejects.toThrow(
    'Line 2 of the Dockerfile uses a/b, which mounts a path within a cache in every build (ONBUILD, --mount=type=cache,src=x,target=/c).',
  )
  version = '24.0.9'
  await expect(check('FROM a/b')).resolves.toBeUndefined()
})

it.each([
  ['FROM registry.example/private@DIGEST', {}],
  ['ARG D=DIGEST\nFROM registry.example/private@$D', {}],
  ['ARG BASE\nFROM ${BASE}', { BASE: `registry.example/private@sha256:${'0'.repeat(64)}` }],
  ['FROM scratch\nCOPY --from=registry.example/private@DIGEST /a /a', {}],
  ['FROM scratch\nCOPY --from="registry.example/private"@DIGEST /a /a', {}],
  ['FROM scratch\nCOPY --from=registry.example/pri\\\nvate@DIGEST /a /a', {}],
  ['ARG X=1\nFROM ${X:+registry.example/private@DIGEST}', {}],
  ['FROM ${X:-registry.example/private@DIGEST}', {}],
])('%s is refused where the registry would refuse it, whatever is on the machine', async (text, buildArgs) => {
  version = '27.5.1'
  await expect(check(text.replace('DIGEST', `sha256:${'0'.repeat(64)}`), buildArgs)).rejects.toThrow(
    /^no registry.example\/private@sha256:/,
  )
})

it.each([
  'FROM evil.example/x',
  'FROM evil.example:5000/x:1 AS y',
  'FROM Evil.example/x',
  'ARG BASE=evil.example/x\nFROM $BASE',
  'FROM ${BASE}',
  'FROM --platform=linux/amd64 evil.example/x',
  'FROM scratch\nCOPY --from=evil.example/x /a /a',
  'FROM scratch\nCOPY --chown=1 --from="evil.example/x" /a /a',
  'FROM scratch\nCOPY --fr\\om=evil.exa\\\n# comment\nmple/x /a /a',
  'FROM scratch\nCOPY --from=$X /a /a',
  'FROM scratch\nONBUILD COPY --from=evil.example/x /a /a',
  'FROM scratch\nRUN --mount=type=bind,from=evil.example/x true',
  "FROM scratch\nRUN --mount='type=bind, FROM=evil.example/x' true",
])('%s is refused for members where nothing limits the connections of the engine', async (text) => {
  version = '27.5.1'
  await expect(check(text, {}, MEMBER)).rejects.toThrow(/^Line \d of the Dockerfile uses .*An admin can allow this one/s)
  await expect(check(text)).resolves.toBeUndefined()
})

it('there members build on public registries and their own stages', async () => {
  version = '27.5.1'
  const stages = 'ARG V=1\nFROM ghcr.io/a/b:$V AS one.two\nFROM one.two\nCOPY --from=0 /a /a\nCOPY --from=node:20 /a /b'
  await expect(check(`${stages}\nRUN --mount=type=bind,from=quay.io/a/b cp from=evil.example/x`, {}, MEMBER)).resolves.toBeUndefined()
})
