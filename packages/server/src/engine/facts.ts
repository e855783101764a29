import { count, field, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'

/** What stays the same until another engine runs. */
export type EngineFacts = {
  readonly version: string
  /** Its platform, such as `linux/arm64`. */
  readonly platform: string
  readonly cgroupDriver: string
  /** Where it keeps volumes and images on its machine. */
  readonly directory: string
}
export type EngineCounts = { readonly containersRunning: number; readonly containersTotal: number; readonly images: number }

/** The name the kernel uses, and the one that images use. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' }
const KEPT_MS = 60_000

/** The engine counts everything it has to answer this, so that the facts are kept for a while. */
export function createFacts({ transport }: { transport: Pick<Transport, 'json' | 'ping'> }) {
  let known: { at: number; facts: EngineFacts } | undefined

  async function ask(signal: AbortSignal | undefined): Promise<EngineFacts & EngineCounts> {
    const answer = await transport.json({ method: 'GET', path: '/info', signal })
    const architecture = text(field(answer, 'Architecture'))
    const facts = {
      version: text(field(answer, 'ServerVersion')),
      platform: `${text(field(answer, 'OSType'))}/${ARCHITECTURES[architecture] ?? architecture}`,
      cgroupDriver: text(field(answer, 'CgroupDriver')),
      directory: text(field(answer, 'DockerRootDir')),
    }
    known = { at: performance.now(), facts }
    return {
      ...facts,
      containersRunning: count(field(answer, 'ContainersRunning')),
      containersTotal: count(field(answer, 'Containers')),
      images: count(field(answer, 'Images')),
    }
  }

  async function facts(signal?: AbortSignal): Promise<EngineFacts> {
    return known !== undefined && performance.now() - known.at < KEPT_MS ? known.facts : await ask(signal)
  }

  /** An engine that does not answer may be another one next time. */
  async function ping(signal?: AbortSignal): Promise<void> {
    try {
      await transport.ping(signal)
    } catch (cause) {
      known = undefined
      throw cause
    }
  }

  return { facts, ping, counts: async (): Promise<EngineCounts> => await ask(undefined) }
}
