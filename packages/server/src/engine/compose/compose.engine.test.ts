import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { engineSocketPath } from '../../../testing/harness/engine-proxy.ts'
import { PROGRAM_PATH } from '../../../testing/harness/git-server.ts'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine } from '../../../testing/images/test-images.ts'
import { createCheckDockerfile } from '../../features/deployments/release/check-dockerfile.ts'
import { resolveInside } from '../../git/resolve-inside.ts'
import { createSourcePolicy } from '../../git/source-policy.ts'
import { SpecRefused } from '../api/errors.ts'
import { newImageName } from '../image-names.ts'
import { appNetworkName, composeProjectName, LABEL, labelsOf, projectNetworkName } from '../labels.ts'
import { ComposeFailed } from './cli.ts'
import { createCompose } from './compose.ts'
import { planCompose } from './policy.ts'

const test = openTestEngine()
const { engine, instance } = test
const appId = 1 + Math.floor(Math.random() * 1e9)
const labels = labelsOf({ instance, kind: 'compose', projectId: 1, appId, deploymentId: 1 })
const owner = { instance, kind: 'network', appId } as const
let directory = ''

beforeAll(async () => {
  await ensureBusybox(engine)
  await engine.networks.ensureProjectNetwork({ instance, projectId: 1 })
  await engine.networks.ensure({ name: appNetworkName(instance, appId), owner })
})
afterAll(() => test[Symbol.asyncDispose]())
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-compose-'))
})
afterEach(() => rm(directory, { recursive: true }))

function plan(text: string) {
  return planCompose(text, {
    env: { GREETING: 'cost: $5' },
    labels,
    serviceLabel: LABEL.service,
    appNetwork: appNetworkName(instance, appId),
    projectNetwork: projectNetworkName(instance, 1),
    alias: 'shop',
    port: 8080,
    memoryBytes: 64 * 1024 * 1024,
    reservedPorts: [],
    newImageName,
  })
}

const compose = () =>
  createCompose({
    build: engine.build,
    inside: resolveInside,
    checkDockerfile: createCheckDockerfile({
      policy: createSourcePolicy({ privateHosts: [], ownPorts: () => [] }),
      isEngineWalled: () => true,
      engine,
    }),
    path: PROGRAM_PATH,
    home: directory,
    address: { socketPath: engineSocketPath() },
    engine,
  })
const said: string[] = []
const project = () => ({
  name: composeProjectName(instance, appId),
  directory: path.join(directory, 'state'),
  signal: AbortSignal.timeout(50_000),
  onLine: (line: string) => void said.push(line),
})
const buildOptions = () => ({
  workspace: path.join(directory, 'work'),
  labels,
  onLine: () => undefined,
  signal: AbortSignal.timeout(50_000),
})

describe('a compose app', () => {
  it('is built, comes up within our walls, and goes down with its volumes kept until they are named', async () => {
    await mkdir(path.join(directory, 'work/web'), { recursive: true })
    await writeFile(
      path.join(directory, 'work/web/Dockerfile'),
      `FROM ${BUSYBOX_IMAGE}\nCMD echo "$GREETING" > /www/index.html; exec httpd -f -p 8080 -h /www\n`,
    )
    const wanted = plan(`
services:
  web: { build: ./web, expose: [8080], environment: { GREETING: "\${GREETING}" }, depends_on: [store] }
  store: { image: "${BUSYBOX_IMAGE}", command: [sleep, "600"], volumes: ["data:/data"] }
volumes: { data: }
`)
    await compose().build(wanted, buildOptions())
    await compose().up(wanted, project())
    const found = await engine.containers.list({ labels })
    expect(new Set(found.map((container) => container.owner.service))).toEqual(new Set(['store', 'web']))
    const web = found.find((container) => container.owner.service === 'web')
    const ip = web?.ips[projectNetworkName(instance, 1)] ?? ''
    await expect
      .poll(
        () =>
          fetch(`http://${ip}:8080/`).then(
            (answer) => answer.text(),
            () => '',
          ),
        { timeout: 20_000 },
      )
      .toBe('cost: $5\n')
    const { output } = await engine.exec(web?.id ?? '', ['cat', '/proc/1/status'], AbortSignal.timeout(20_000))
    expect(output).toMatch(/NoNewPrivs:\s*1/)
    await compose().down(project(), { removeVolumes: false, graceSeconds: 1 })
    expect(await engine.containers.list({ labels })).toEqual([])
    expect(await engine.volumes.list({ labels })).toHaveLength(1)
    await compose().down(project(), { removeVolumes: true, graceSeconds: 1 })
    expect(await engine.volumes.list({ labels })).toEqual([])
  })

  it('is built from the Dockerfile that was checked, also where its name is a link that the builder would follow elsewhere', async () => {
    const context = path.join(directory, 'work/ctx')
    await mkdir(path.join(context, 'ctx'), { recursive: true })
    await symlink('../ctx/real', path.join(context, 'Dockerfile')) // for the builder nothing is above the context
    await writeFile(path.join(context, 'real'), `FROM ${BUSYBOX_IMAGE}\nRUN echo checked\n`)
    await writeFile(path.join(context, 'ctx/real'), `FROM ${BUSYBOX_IMAGE}\nRUN echo not checked && false\n`)
    const wanted = plan('services: { web: { build: { context: ctx } } }')
    const lines: string[] = []
    await compose().build(wanted, { ...buildOptions(), onLine: (line) => void lines.push(line) })
    expect(lines.join('\n')).toContain('echo checked')
  })

  it('whose build leaves the repository is refused', async () => {
    await mkdir(path.join(directory, 'work'), { recursive: true })
    const wanted = plan('services: { web: { build: missing } }')
    await expect(compose().build(wanted, buildOptions())).rejects.toThrow(SpecRefused)
  })

  it('whose build arguments fill up a line of its Dockerfile is refused', async () => {
    await mkdir(path.join(directory, 'work'), { recursive: true })
    await writeFile(path.join(directory, 'work/Dockerfile'), `FROM ${BUSYBOX_IMAGE}\nARG TEXT\nLABEL text=$TEXT\n`)
    const wanted = plan(`services: { web: { build: { context: ., args: { TEXT: "${'x'.repeat(100_000)}" } } } }`)
    await expect(compose().build(wanted, buildOptions())).rejects.toThrow('Line 3 of the Dockerfile is longer than 64 KB')
  })

  it('that cannot come up says so', async () => {
    const occupied = createServer().listen(0, '0.0.0.0')
    await once(occupied, 'listening')
    // A listening TCP server has an AddressInfo, never a path.
    const { port } = occupied.address() as AddressInfo
    try {
      const wanted = plan(`services: { web: { image: "${BUSYBOX_IMAGE}", command: [sleep, "600"], ports: ["${port}:80"] } }`)
      const failure = await compose()
        .up(wanted, project())
        .catch((cause: unknown) => cause)
      expect(failure).toBeInstanceOf(ComposeFailed)
      expect((failure as ComposeFailed).lastLines.join('\n')).toContain('address already in use')
    } finally {
      occupied.close()
    }
  })
})
