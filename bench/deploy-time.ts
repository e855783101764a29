import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DEFAULT_DOCKERIGNORE } from '../packages/server/src/builders/dockerignore.ts'
import { buildContext } from '../packages/server/src/engine/build/context.ts'
import type { ContainerSummary } from '../packages/server/src/engine/container-state.ts'
import { containerName, labelsOf, ownedBy, projectNetworkName } from '../packages/server/src/engine/labels.ts'
import { ensureBaseImages } from '../packages/server/testing/images/base-images.ts'
import { ensureNpmImage, NPM_IMAGE } from '../packages/server/testing/images/node-image.ts'
import { type DeployLab, type LabApp, openDeployLab, webFiles } from '../packages/server/testing/labs/deploy-lab.ts'
import { median, numberFlag, say, verdict } from './lib/numbers.ts'

const run = promisify(execFile)
const LOOK_MS = 20
const GIVE_UP_MS = 120_000
/** Not Berth's own: what carries its label and is in no row is removed. */
const BY_HAND = 'byhand'

const SERVER = `import Fastify from 'fastify'
const app = Fastify()
app.get('/', async () => process.env.RELEASE ?? 'up')
await app.listen({ host: '0.0.0.0', port: 8080 })
`

/** LIST of what is deployed, unless `--unchanged` asks for the last figure alone. `round` is in each, so that no round finds the layers of another in the cache. */
const APPS: Record<string, (round: string) => Record<string, string>> = {
  'static site': (round) => ({ ...(webFiles(`round ${round}`) as Record<string, string>), note: round }),
  'Node.js app with npm install': (round) => ({
    Dockerfile: `FROM ${NPM_IMAGE}\nWORKDIR /app\nCOPY package.json ./\nRUN npm install --no-audit --no-fund\nCOPY . .\nENV PORT=8080\nCMD ["node", "server.js"]\n`,
    'package.json': JSON.stringify({ name: 'app', description: round, private: true, type: 'module', dependencies: { fastify: '5.6.2' } }),
    'server.js': SERVER,
  }),
}

/** Without a Dockerfile, and deployed again and again as it is: every step of the build is in the cache. */
const UNCHANGED = {
  'package.json': JSON.stringify({
    name: 'app',
    private: true,
    type: 'module',
    scripts: { start: 'node server.js' },
    dependencies: { fastify: '5.6.2' },
  }),
  'server.js': SERVER,
}

async function untilAnswers(find: () => Promise<ContainerSummary | undefined>): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS
  while (performance.now() < giveUpAt) {
    const ip = Object.values((await find())?.ips ?? {})[0]
    const isUp = ip
      ? await fetch(`http://${ip}:8080/`).then(
          async (answer) => ((await answer.text()) === '' ? false : answer.ok),
          () => false,
        )
      : false
    if (isUp) return
    await sleep(LOOK_MS)
  }
  throw new Error('nothing answered in time')
}

/** From `add` until the new container answers. */
async function withBerth(lab: DeployLab, app: LabApp): Promise<number> {
  const begin = performance.now()
  const id = await lab.add(app.id)
  await untilAnswers(async () => (await lab.containersOf(app.id)).find(({ owner }) => owner.deploymentId === id))
  const took = performance.now() - begin
  const { status, error_message } = await lab.ended(id)
  if (status !== 'success') throw new Error(`the deployment is ${status}: ${error_message}`)
  return took
}

/** The same commit by hand: git's clone, the engine's build, the engine's start. */
async function byHand(lab: DeployLab, app: LabApp, number: number, dockerfile?: string): Promise<number> {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-bench-'))
  const { engine } = lab
  const labels = labelsOf({ instance: BY_HAND, kind: 'app', projectId: app.project_id, appId: app.id, deploymentId: number })
  const tag = `berth-bench/app-${app.id}:${number}`
  const written = dockerfile === undefined ? undefined : { text: dockerfile, ignore: DEFAULT_DOCKERIGNORE }
  const begin = performance.now()
  await run('git', ['clone', '--quiet', '--depth', '1', '--', app.repository.url, directory])
  await engine.build({
    contextTar: buildContext({ directory, dockerfile: 'Dockerfile', ...(written && { written }) }),
    dockerfile: 'Dockerfile',
    tag,
    labels,
    onLine: () => undefined,
    signal: AbortSignal.timeout(GIVE_UP_MS),
  })
  const id = await engine.containers.start({
    name: containerName(BY_HAND, app.id, number),
    image: tag,
    labels,
    env: { PORT: '8080' },
    network: projectNetworkName(lab.instance, app.project_id),
    aliases: [],
    volumes: [],
    restart: 'no',
  })
  await untilAnswers(async () => (await engine.containers.list({ labels: ownedBy({ instance: BY_HAND }) })).find((one) => one.id === id))
  const took = performance.now() - begin
  await engine.containers.remove(id)
  await engine.images.remove(tag)
  await rm(directory, { recursive: true, force: true })
  return took
}

const rounds = numberFlag('rounds', 5)
// as the product has them, not as the tests do
const tuning = { stabilityMs: 5000, healthIntervalMs: 250, resolveAtAddMs: 2000, reconcileMs: 30_000 }
await using lab = await openDeployLab({ runs: 'as a process', tuning })
await ensureNpmImage(lab.engine)
for (const [name, filesOf] of Object.entries(process.argv.includes('--unchanged') ? {} : APPS)) {
  const app = await lab.createApp(filesOf('first'))
  await lab.deploy(app.id) // networks, and whatever else is made once
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const turns = [async () => ({ berth: await withBerth(lab, app) }), async () => ({ hand: await byHand(lab, app, 900_000 + round) })]
    const seen = { berth: 0, hand: 0 }
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
      await app.repository.commit({ files: filesOf(`${round} ${performance.now()}`) })
      Object.assign(seen, await turn())
    }
    ratios.push(seen.berth / seen.hand)
    say(
      `  ${name}: Berth ${(seen.berth / 1000).toFixed(2)} s, by hand ${(seen.hand / 1000).toFixed(2)} s, ratio ${(seen.berth / seen.hand).toFixed(2)}`,
    )
  }
  verdict(`${name}, add to answering against clone, build and start by hand`, median(ratios), { atMost: 1.25 })
}

await using _images = await ensureBaseImages(lab.engine)
const app = await lab.createApp(UNCHANGED)
const { id: firstId, status, error_message } = await lab.deploy(app.id)
if (status !== 'success') throw new Error(`the first deployment is ${status}: ${error_message}`)
const { dockerfile } = await lab.owner.call('deployments.plan', { id: firstId })
await byHand(lab, app, 950_000, dockerfile) // fills its own cache, as the first deployment did
const ratios: number[] = []
for (let round = 0; round < rounds; round += 1) {
  const turns = [
    async () => ({ berth: await withBerth(lab, app) }),
    async () => ({ hand: await byHand(lab, app, 950_001 + round, dockerfile) }),
  ]
  const seen = { berth: 0, hand: 0 }
  for (const turn of round % 2 === 0 ? turns : turns.toReversed()) Object.assign(seen, await turn())
  ratios.push(seen.berth / seen.hand)
  say(
    `  unchanged Node.js project: Berth ${(seen.berth / 1000).toFixed(2)} s, by hand ${(seen.hand / 1000).toFixed(2)} s, ratio ${(seen.berth / seen.hand).toFixed(2)}`,
  )
}
verdict('unchanged Node.js project without a Dockerfile, deployed again with its cache', median(ratios), { atMost: 1.25 })
