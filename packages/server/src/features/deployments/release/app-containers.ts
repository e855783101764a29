import type { LogLine } from '../../../engine/api/log-frames.ts'
import type { ContainerSummary } from '../../../engine/container-state.ts'
import type { Engine } from '../../../engine/engine.ts'
import { isOfRelease, ownedBy } from '../../../engine/labels.ts'

const MOST_LINES = 2000
/** Hiding secrets in them takes time, up to a microsecond for each. */
const MOST_CHARACTERS = 512 * 1024
const MOST_FOR_A_REASON = 16 * 1024

/** The containers of an app in the engine, found by our labels. */
export function createAppContainers(deps: { engine: Pick<Engine, 'containers' | 'logs' | 'endTimes'>; instance: string }) {
  const { engine, instance } = deps

  async function ofApp(appId: number, signal?: AbortSignal): Promise<ContainerSummary[]> {
    return await engine.containers.list({ labels: ownedBy({ instance, appId }), ...(signal && { signal }) })
  }

  async function ofDeployment(appId: number, deploymentId: number, signal?: AbortSignal): Promise<ContainerSummary[]> {
    return (await ofApp(appId, signal)).filter((container) => container.owner.deploymentId === deploymentId)
  }

  /** The containers that run when it is live: its own, and those shared by all releases. */
  async function ofRelease(appId: number, deploymentId: number, signal?: AbortSignal): Promise<ContainerSummary[]> {
    return (await ofApp(appId, signal)).filter(({ owner }) => isOfRelease(owner, deploymentId))
  }

  async function ofOtherDeployments(appId: number, deploymentId: number, signal?: AbortSignal): Promise<ContainerSummary[]> {
    return (await ofApp(appId, signal)).filter(({ owner }) => !isOfRelease(owner, deploymentId))
  }

  /** Whether a release is running: its main process, or any service. Containers keep running while the engine is unreachable. */
  async function isServing(appId: number, deploymentId: number): Promise<boolean> {
    const own = await ofDeployment(appId, deploymentId).catch(() => undefined)
    if (own === undefined) return true
    const main = own.filter(({ owner }) => owner.service === null)
    return (main.length > 0 ? main : own).some(({ state }) => state === 'running')
  }

  /** Its last lines, in the order in which the engine received them. */
  async function printedBy(container: { id: string; isTty: boolean }): Promise<LogLine[]> {
    const signal = AbortSignal.timeout(10_000)
    const lines = await newest(engine.logs(container, { tail: MOST_LINES, signal }), MOST_CHARACTERS)
    return lines.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  }

  async function endTimes(id: string): Promise<string[]> {
    return await engine.endTimes(id, AbortSignal.timeout(5000))
  }

  async function lastLines(id: string, count: number): Promise<string[]> {
    const details = await engine.containers.inspect(id)
    if (!details) return []
    const lines = await newest(engine.logs(details, { tail: count, signal: AbortSignal.timeout(5000) }), MOST_FOR_A_REASON)
    return lines.map(({ line }) => line)
  }

  return { ofApp, ofDeployment, ofRelease, ofOtherDeployments, isServing, printedBy, endTimes, lastLines }
}

/** The last lines that have no more characters than this together. */
async function newest(lines: AsyncIterable<LogLine>, mostCharacters: number): Promise<LogLine[]> {
  const kept: LogLine[] = []
  let characters = 0
  for await (const line of lines) {
    kept.push(line)
    characters += line.line.length
    while (characters > mostCharacters) characters -= kept.shift()?.line.length ?? characters
  }
  return kept
}

export type AppContainers = ReturnType<typeof createAppContainers>
