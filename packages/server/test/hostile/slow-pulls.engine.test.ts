import { afterAll, beforeAll, expect, it } from 'vitest'
import { newLayer, startSlowRegistry } from '../../testing/harness/slow-registry.ts'
import { type DeployLab, openDeployLab } from '../../testing/labs/deploy-lab.ts'

const SLOW = 'The registry sent less than 1 MiB a minute for two minutes, so the download of the image was stopped.'

let lab: DeployLab
let registry: Awaited<ReturnType<typeof startSlowRegistry>>
beforeAll(async () => {
  registry = await startSlowRegistry()
  lab = await openDeployLab({ env: { BERTH_PRIVATE_SOURCES: '127.0.0.1' }, tuning: { pullWindowMs: 3000 } })
})
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]()
  await registry?.[Symbol.asyncDispose]()
})

const KINDS = ['a ready image', 'a base image', 'a service of a compose file'] as const

/** A source whose image comes four bytes a second. */
async function sourceOf(kind: (typeof KINDS)[number]) {
  const image = registry.add(kind.replaceAll(' ', '-'), [newLayer(100_000), newLayer(100_000), newLayer(100_000)], 4)
  if (kind === 'a ready image') return { builder: 'image' as const, image }
  const compose = JSON.stringify({ services: { web: { image, ports: ['8080'] } } })
  const files = kind === 'a base image' ? { Dockerfile: `FROM ${image}\nLABEL built=1\n` } : { 'compose.yaml': compose }
  const { url } = await lab.git.createRepository({ files })
  return { gitCloneUrl: url, gitBranch: 'main', ...(kind !== 'a base image' && { appType: 'compose' as const }) }
}

it.each(KINDS)('a deployment whose image comes a few bytes at a time does not wait for it: %s', async (kind) => {
  const source = await sourceOf(kind)
  const app = await lab.owner.call('apps.create', { name: kind.replaceAll(' ', '-'), projectId: lab.project.id, port: 8080, ...source })
  const { status, error_message } = await lab.deploy(app.id)
  expect([status, error_message]).toEqual(['failed', expect.stringContaining(SLOW)])
})
