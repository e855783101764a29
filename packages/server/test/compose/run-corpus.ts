import type { StackImage } from '../../testing/images/stack-images.ts'
import { type EdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'
import { CORPUS_ENV, type CorpusFile, planOf } from './corpus.ts'
import { repositoryOf } from './corpus-repository.ts'

/** Files of the corpus that some machines cannot run, and the reason that Berth gives there. */
export const CANNOT_RUN: Readonly<Record<string, RegExp>> = {
  'analytics with two databases and ulimits': /error setting rlimit/, // more open files than the engine itself may have
  'search with memory that may be locked': /error setting rlimit/, // the same
}

const imageOfRouted = ({ services, builds, routedService }: Awaited<ReturnType<typeof planOf>>): string | undefined => {
  const image = services.find(({ name }) => name === routedService)?.image
  return builds.some((build) => build.image === image) ? undefined : image
}

/** Every image that these files do not build, with the port of those that visitors reach. */
export async function imagesOf(files: readonly CorpusFile[]): Promise<StackImage[]> {
  const ports = new Map<string, number | null>()
  for (const file of files) {
    const plan = await planOf(file)
    const built = new Set(plan.builds.map(({ image }) => image))
    for (const { image } of plan.services) if (!built.has(image) && !ports.has(image)) ports.set(image, null)
    const routed = imageOfRouted(plan)
    if (routed === undefined) continue
    const port = ports.get(routed) ?? file.port
    if (port !== file.port && !routed.includes('/nginx:')) throw new Error(`${routed} has the ports ${port} and ${file.port}`)
    ports.set(routed, port)
  }
  return [...ports].map(([name, port]) => ({ name, port }))
}

/** What a visitor of the routed service gets: the page of an image, or that of the repository, which nginx passes on. */
async function pageOf(file: CorpusFile): Promise<string> {
  const image = imageOfRouted(await planOf(file))
  return image === undefined || image.includes('/nginx:') ? file.name : `this is ${image}`
}

const WELL = ['running', 'starting', 'finished']
let made = 0

/** Deploys a file of the corpus, visits it through the edge, and deletes it again. Returns what is wrong. */
export async function runFile(lab: EdgeLab, file: CorpusFile): Promise<string[]> {
  const { url } = await lab.git.createRepository({ files: repositoryOf(file) })
  const host = `corpus-${(made += 1)}.example.test`
  const source = { gitCloneUrl: url, gitBranch: 'main', envVars: CORPUS_ENV }
  const { id: appId } = await lab.call('apps.create', {
    projectId: lab.project.id,
    name: `corpus ${made}`,
    appType: 'compose',
    port: file.port,
    ...source,
  })
  try {
    await lab.call('domains.create', { appId, domain: host })
    const { id } = await lab.call('deployments.add', { appId })
    const { status, error_message } = await until(
      async () => {
        const deployment = await lab.call('deployments.get', { id })
        return ['success', 'failed', 'stopped'].includes(deployment.status) && deployment
      },
      `${file.name} is deployed`,
      240_000,
    )
    if (status !== 'success') return [`${status}: ${error_message}`]
    const page = await pageOf(file)
    const seen = { text: '' }
    const isThere = async () => {
      const { status: code, text } = await visit(lab, { host })
      seen.text = `${code} ${text}`
      return seen.text === `200 ${page}`
    }
    await until(isThere, page, 20_000).catch(() => undefined)
    const { services } = await lab.call('stacks.services', { appId })
    return [
      ...(seen.text === `200 ${page}` ? [] : [`a visitor got ${seen.text.slice(0, 200)}`]),
      ...services.filter(({ state }) => !WELL.includes(state)).map(({ name, state, reason }) => `${name} is ${state}: ${reason}`),
    ]
  } finally {
    await lab.call('apps.delete', { appId })
  }
}
