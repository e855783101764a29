import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine } from '../../../testing/images/test-images.ts'
import { createCheckDockerfile } from '../../features/deployments/release/check-dockerfile.ts'
import { resolveInside } from '../../git/resolve-inside.ts'
import { createSourcePolicy } from '../../git/source-policy.ts'
import { SpecRefused } from '../api/errors.ts'
import { newImageName } from '../image-names.ts'
import { appNetworkName, composeProjectName, labelsOf, projectNetworkName, stackContainerName } from '../labels.ts'
import { createStackBuild } from './build.ts'
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
    volumePrefix: composeProjectName(instance, appId),
    port: 8080,
    memoryBytes: 64 * 1024 * 1024,
    reservedPorts: [],
    newImageName,
  })
}

const buildStack = createStackBuild({
  build: engine.build,
  inside: resolveInside,
  checkDockerfile: createCheckDockerfile({
    inPullPlace: async (_project, _waiting, pull) => await pull(),
    policy: createSourcePolicy({ privateHosts: [], ownPorts: async () => [] }),
    hasEngineFirewall: () => true,
    engine,
    refuseOthersDigest: async () => undefined,
    refuseImage: async () => undefined,
  }),
})

async function start(wanted: ReturnType<typeof plan>, name: string): Promise<string> {
  const service = wanted.services.find((each) => each.name === name)
  if (service === undefined) throw new Error(`the plan has no ${name}`)
  for (const { volume } of service.mounts) await engine.volumes.ensure(volume, labelsOf({ instance, kind: 'volume', appId }))
  return await engine.stackContainers.start({
    name: stackContainerName(instance, appId, { release: '1', service: name }),
    labels: { ...labels, 'berth.service': name, 'berth.replica': '1' },
    service,
    network: appNetworkName(instance, appId),
    ...(name === wanted.routedService && { project: { network: projectNetworkName(instance, 1), alias: 'shop', turn: 1 } }),
  })
}

const buildOptions = () => ({
  projectId: 1,
  setBy: null,
  workspace: path.join(directory, 'work'),
  labels,
  onLine: () => undefined,
  signal: AbortSignal.timeout(50_000),
})

describe('a compose app', () => {
  it('is built, starts with our restrictions, is reachable by name, and its volumes survive removal', async () => {
    await mkdir(path.join(directory, 'work/web'), { recursive: true })
    const command = 'wget -q -O /www/index.html http://store:8080/said; echo "$GREETING" >> /www/index.html; exec httpd -f -p 8080 -h /www'
    const secret = `RUN --mount=type=secret,id=hello grep -q cost /run/secrets/hello && echo ${instance}\n`
    await writeFile(path.join(directory, 'work/web/Dockerfile'), `FROM ${BUSYBOX_IMAGE}\n${secret}CMD ${command}\n`)
    const wanted = plan(`
services:
  web: { build: { context: ./web, secrets: [{ source: greeting, target: hello }] }, expose: [8080], environment: { GREETING: "\${GREETING}" }, depends_on: [store], read_only: false }
  store:
    image: "${BUSYBOX_IMAGE}"
    command: sh -c 'echo kept > /data/said; exec httpd -f -p 8080 -h /data'
    volumes: ["data:/data"]
    tmpfs: /scratch
    read_only: true
volumes: { data: }
secrets: { greeting: { environment: GREETING } }
`)
    await buildStack(wanted, buildOptions())
    const [store, web] = [await start(wanted, 'store'), await start(wanted, 'web')]
    const ip = (await engine.containers.inspect(web))?.givenIps[projectNetworkName(instance, 1)] ?? ''
    expect(Number(ip.split('.')[3])).toBeGreaterThanOrEqual(128)
    const page = async () =>
      await fetch(`http://${ip}:8080/`).then(
        async (answer) => await answer.text(),
        () => '',
      )
    await expect.poll(page, { timeout: 20_000 }).toBe('kept\ncost: $5\n')
    const run = async (id: string, ...words: string[]) => (await engine.exec(id, words, AbortSignal.timeout(20_000))).exitCode
    expect((await engine.exec(web, ['cat', '/proc/1/status'], AbortSignal.timeout(20_000))).output).toMatch(/NoNewPrivs:\s*1/)
    expect([await run(store, 'touch', '/scratch/x'), await run(store, 'touch', '/x')]).toEqual([0, 1])
    for (const id of [web, store]) await engine.containers.remove(id)
    const [volume] = await engine.volumes.list({ labels: { 'berth.instance': instance } })
    expect(volume?.name).toBe(`${composeProjectName(instance, appId)}_data`)
    await engine.volumes.remove(volume?.name ?? '')
  })

  it('is built from the Dockerfile that was checked, even if its name is a link that the builder would follow elsewhere', async () => {
    const context = path.join(directory, 'work/ctx')
    await mkdir(path.join(context, 'ctx'), { recursive: true })
    await symlink('../ctx/real', path.join(context, 'Dockerfile')) // for the builder nothing is above the context
    await writeFile(path.join(context, 'real'), `FROM ${BUSYBOX_IMAGE}\nRUN echo checked\n`)
    await writeFile(path.join(context, 'ctx/real'), `FROM ${BUSYBOX_IMAGE}\nRUN echo not checked && false\n`)
    const wanted = plan('services: { web: { build: { context: ctx } } }')
    const lines: string[] = []
    await buildStack(wanted, { ...buildOptions(), onLine: (line) => void lines.push(line) })
    expect(lines.join('\n')).toContain('echo checked')
  })

  it('is built from a Dockerfile in the compose file, and by no file of that name in the context', async () => {
    await mkdir(path.join(directory, 'work'), { recursive: true })
    await writeFile(path.join(directory, 'work/.berth.Dockerfile'), 'FROM scratch\nRUN false\n')
    await writeFile(path.join(directory, 'work/said'), `from the context of ${instance}`)
    const inline = `FROM ${BUSYBOX_IMAGE}\nCOPY said /\nRUN cat /said\n`
    const wanted = plan(JSON.stringify({ services: { web: { build: { context: '.', dockerfile_inline: inline } } } }))
    const lines: string[] = []
    await buildStack(wanted, { ...buildOptions(), onLine: (line) => void lines.push(line) })
    expect(lines.join('\n')).toContain(`from the context of ${instance}`)
    const fetching = { context: '.', dockerfile_inline: `FROM ${BUSYBOX_IMAGE}\nADD https://127.0.0.1/x /\n` }
    await expect(buildStack(plan(JSON.stringify({ services: { web: { build: fetching } } })), buildOptions())).rejects.toThrow('Line 2')
  })

  it('is built with other directories and images, whatever its .dockerignore says, and with nothing outside', async () => {
    const work = path.join(directory, 'work')
    for (const folder of ['app', 'shared/sub']) await mkdir(path.join(work, folder), { recursive: true })
    await writeFile(path.join(work, 'app/.dockerignore'), '*\n')
    await writeFile(path.join(work, 'app/Dockerfile'), `ARG V\nFROM ${BUSYBOX_IMAGE}\nCOPY --from=shared sub /sub\nRUN cat /sub/said\n`)
    await writeFile(path.join(work, 'shared/sub/said'), `beside in ${instance}`)
    await writeFile(path.join(work, 'shared/.dockerignore'), 'hidden\n')
    await symlink('/etc', path.join(work, 'out'))
    const planOf = (contexts: Record<string, string>) =>
      plan(JSON.stringify({ services: { web: { build: { context: 'app', additional_contexts: contexts } } } }))
    const lines: string[] = []
    const wanted = planOf({ shared: './shared', tools: `docker-image://${BUSYBOX_IMAGE}` })
    await buildStack(wanted, { ...buildOptions(), onLine: (line) => void lines.push(line) })
    expect(lines.join('\n')).toContain(`beside in ${instance}`)
    await expect(buildStack(planOf({ shared: './out' }), buildOptions())).rejects.toThrow('points outside the repository')
    await expect(buildStack(planOf({ shared: './missing' }), buildOptions())).rejects.toThrow('not a directory in the repository')
  })

  it('whose build leaves the repository is refused', async () => {
    await mkdir(path.join(directory, 'work'), { recursive: true })
    const wanted = plan('services: { web: { build: missing } }')
    await expect(buildStack(wanted, buildOptions())).rejects.toThrow(SpecRefused)
  })

  it('whose build arguments fill up a line of its Dockerfile is refused', async () => {
    await mkdir(path.join(directory, 'work'), { recursive: true })
    await writeFile(path.join(directory, 'work/Dockerfile'), `FROM ${BUSYBOX_IMAGE}\nARG TEXT\nLABEL text=$TEXT\n`)
    const wanted = plan(`services: { web: { build: { context: ., args: { TEXT: "${'x'.repeat(100_000)}" } } } }`)
    await expect(buildStack(wanted, buildOptions())).rejects.toThrow('Line 3 of the Dockerfile is longer than 64 KiB')
  })

  it('that cannot start says so, and leaves no container', async () => {
    const occupied = createServer().listen(0, '0.0.0.0')
    await once(occupied, 'listening')
    // A listening TCP server has an AddressInfo, never a path.
    const { port } = occupied.address() as AddressInfo
    try {
      const read = plan(`services: { other: { image: "${BUSYBOX_IMAGE}", command: [sleep, "600"] }, web: { image: x, expose: [8080] } }`)
      const ports = [{ host: port, hostIp: '0.0.0.0', container: 80, protocol: 'tcp' }] as const
      const wanted = { ...read, services: read.services.map((service) => ({ ...service, ports })) }
      await expect(start(wanted, 'other')).rejects.toThrow('address already in use')
      expect(await engine.containers.list({ labels })).toEqual([])
    } finally {
      occupied.close()
    }
  })
})
