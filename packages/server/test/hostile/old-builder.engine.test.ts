import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasVulnerableBuilder } from '../../src/engine/vulnerable-builder.ts'
import type { FileMap } from '../../testing/harness/git-server.ts'
import { BUSYBOX_IMAGE, buildTestImage } from '../../testing/images/test-images.ts'
import { type DeployLab, openDeployLab, until, webFiles } from '../../testing/labs/deploy-lab.ts'

const unique = () => randomBytes(4).toString('hex')
const FROM = `FROM ${BUSYBOX_IMAGE}`
const TRIGGER_IMAGE = `berth-test/trigger:${unique()}`
const CACHE = unique()
const REFUSED = 'mounts a path within a cache'

let lab: DeployLab
let isOld = false
/** A directory of the machine that no build may see. */
let victim = ''

beforeAll(async () => {
  lab = await openDeployLab()
  isOld = hasVulnerableBuilder((await lab.engine.facts()).version)
  victim = await mkdtemp(join(tmpdir(), 'berth-victim-'))
  await writeFile(join(victim, 'private'), '')
  await buildTestImage(lab.engine, TRIGGER_IMAGE, { Dockerfile: `${FROM}\nONBUILD ${sees}\n` })
})
afterAll(async () => {
  await lab.engine.images.remove(TRIGGER_IMAGE)
  await lab[Symbol.asyncDispose]()
  await rm(victim, { recursive: true })
})

/** Writes into the mounted path, while another step replaces the path. */
const sees = `RUN --mount=type=cache,id=${CACHE},source=sub,target=/m ls /m && touch /m/written`
const attack = (step: string, base = FROM) =>
  [
    `${FROM} AS prepared`,
    `RUN --mount=type=cache,id=${CACHE},target=/c mkdir -p /c/sub && ln -sfn ${victim} /c/link # ${unique()}`,
    'FROM prepared AS swapper',
    `RUN --mount=type=cache,id=${CACHE},target=/c cd /c; for n in $(seq 300); do mv sub a; mv link sub; mv sub link; mv a sub; done; touch /done`,
    base,
    'COPY --from=swapper /done /done',
    step,
    'CMD ["sleep", "600"]',
    '',
  ].join('\n')

async function deploy(files: FileMap, appType: 'service' | 'compose' = 'service') {
  const app = await lab.createApp(files, { appType, port: 8080 })
  return await lab.deploy(app.id)
}

describe('an engine whose builder has holes', () => {
  it('builds nothing that mounts a path within a cache, and says why', async (context) => {
    if (!isOld) context.skip()
    const inline = { services: { web: { build: { context: '.', dockerfile: 'Other' }, expose: [8080] } } }
    const ended = [
      await deploy({ Dockerfile: attack(sees) }),
      await deploy({ Dockerfile: attack(`ONBUILD ${sees}`) }),
      await deploy({ Dockerfile: attack('RUN true', `FROM ${TRIGGER_IMAGE}`) }),
      await deploy({ 'compose.yaml': JSON.stringify(inline), Other: attack(sees) }, 'compose'),
    ]
    for (const deployment of ended) {
      expect(deployment.status).toBe('failed')
      expect(deployment.error_message).toContain(REFUSED)
      expect(deployment.error_message).toContain('Docker 25.0.2 or newer')
    }
    expect(await readdir(victim)).toEqual(['private'])
  })

  it('is named in the log once it answers', async (context) => {
    if (!isOld) context.skip()
    const log = await until(
      () => lab.berth.log(),
      (text) => text.includes('known vulnerabilities'),
    )
    expect(log).toContain('has known vulnerabilities in its builder, so some forms of RUN --mount are refused. Update to 25.0.2 or newer.')
  })
})

it('builds what caches and mounts files of the repository as Dockerfiles do', async () => {
  const files = webFiles('cached', [
    'WORKDIR /app',
    [
      `RUN --mount=type=cache,id=npm-${unique()},target=/root/.npm,sharing=locked`,
      '--mount=type=bind,source=index.html,target=package.json',
      `--mount=type=bind,from=${BUSYBOX_IMAGE},source=/bin,target=/tools`,
      '--mount=type=tmpfs,target=/app/tmp',
      'cat package.json > /www/copy && touch /root/.npm/kept && ls /tools/sh',
    ].join(' \\\n  '),
  ])
  expect(await deploy(files)).toMatchObject({ status: 'success' })
})

it('no step gets out by a working directory that is an open file of the engine', async () => {
  const tries = [7, 8, 9].map(async (number) => {
    const steps = [`WORKDIR /proc/self/fd/${number}`, `RUN cat ../../../..${victim}/private && echo "got $(echo out)" # ${unique()}`]
    const deployment = await deploy(webFiles('out', steps))
    return `${deployment.status} ${deployment.error_message} ${await lab.log(deployment.id)}`
  })
  for (const text of await Promise.all(tries)) {
    expect(text).toContain('failed')
    expect(text).not.toMatch(/\bgot out\b/)
  }
})
