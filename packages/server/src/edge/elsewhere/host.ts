import { hash } from 'node:crypto'
import { EngineError } from '../../engine/api/errors.ts'
import { EDGE_AGENT } from '../../engine/swarm/edge-agent-program.ts'
import { EdgeProblem } from '../edge.ts'
import type { EdgeHost, EdgeImageSource } from '../host/container.ts'
import type { AskThere } from './ask.ts'

type Deps = {
  ask: AskThere
  /** Returns the name of the image on this server. */
  ensureImageHere: (source: EdgeImageSource) => Promise<string>
  /** The name under which that server pulls it, and what it needs for that. */
  published: (image: string) => Promise<{ image: string; auth: string }>
  /** The network that its ports are published from comes first. */
  networks: () => Promise<readonly string[]>
}

/** The container of an edge on another server, through its agent, which knows by itself what that container may do. */
export function createHostElsewhere({ ask, ensureImageHere, published, networks }: Deps): EdgeHost {
  const fingerprintOf = (fingerprint: string) => hash('sha256', fingerprint + EDGE_AGENT, 'hex').slice(0, 16)

  async function inspectEdge(fingerprint: string) {
    const found = await ask('inspect')
    if (found['state'] === 'absent' || found['state'] === 'stopped') return found['state']
    return found['fingerprint'] === fingerprintOf(fingerprint) ? 'running' : 'other'
  }

  async function ensureImage(source: EdgeImageSource): Promise<string> {
    const { image, auth } = await published(await ensureImageHere(source))
    await ask('pull', { image, auth }).catch(throwProblem)
    return image
  }

  return {
    isElsewhere: true,
    inspectEdge,
    ensureImage,
    runEdge: async ({ image, fingerprint }) =>
      void (await ask('run', { image, fingerprint: fingerprintOf(fingerprint), networks: await networks() }).catch(throwProblem)),
    reloadEdge: async () => void (await ask('reload')),
    removeEdge: async () => void (await ask('remove')),
    hasSiblings: async () => false,
    edgeOutput: async () => (await ask('output'))['output'] ?? '',
  }
}

/** Throws what the engine there says as a problem that is shown with its server. */
function throwProblem(cause: unknown): never {
  if (!(cause instanceof EngineError)) throw cause
  const taken = /port is already allocated|address already in use/.test(cause.message)
  throw new EdgeProblem(
    taken
      ? 'Port 80 or 443 of this server is taken by another program. Stop it: Berth tries again.'
      : `Docker there refused: ${cause.message}`,
    { cause },
  )
}
