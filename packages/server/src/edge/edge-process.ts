import { setTimeout as sleep } from 'node:timers/promises'
import { type EdgeHost, type EdgeImageSource, edgeContainerSpec } from './edge-container.ts'
import type { EdgePaths } from './edge-paths.ts'
import type { HaproxySettings } from './haproxy-config.ts'
import type { HaproxyRuntime } from './haproxy-runtime.ts'
import { portProblem } from './port-check.ts'

/** What HAProxy itself says went wrong, short enough for one message. */
export function lastAlerts(output: string): string {
  const alerts = output.split('\n').filter((line) => line.includes('[ALERT]'))
  const said = alerts.slice(-2).map((line) => line.replace(/^.*\[ALERT\]\s*\(\d+\)\s*:\s*/, '').trim())
  return said.length === 0 ? '' : ` It said: ${said.join(' ')}`
}

/** Makes sure that an HAProxy with our configuration answers on its socket. */
export function createEdgeProcess(deps: {
  settings: HaproxySettings
  host: EdgeHost | undefined
  image: EdgeImageSource
  paths: EdgePaths
  runtime: HaproxyRuntime
  configHash: string
  startWithinMs?: number
}) {
  const { settings, host, image, paths, runtime, configHash, startWithinMs = 10_000 } = deps

  async function ensure(): Promise<void> {
    const found = await runningConfig()
    if (found === configHash) return
    if (host === undefined) {
      throw new Error(
        found === undefined ? 'No edge is running, and none may be started here.' : 'The edge runs with an older configuration.',
      )
    }
    if (found === undefined && (await host.inspectEdge()) === 'running' && (await answersInTime())) return
    await host.removeEdge()
    const problem =
      (await portProblem(settings.httpPort, 'BERTH_EDGE_HTTP_PORT')) ?? (await portProblem(settings.httpsPort, 'BERTH_EDGE_HTTPS_PORT'))
    if (problem !== undefined) throw new Error(problem)
    await host.runEdge(edgeContainerSpec(paths, await host.ensureImage(image)))
    if (!(await answersInTime())) {
      throw new Error(`HAProxy was started and did not answer within ${startWithinMs / 1000} s.${lastAlerts(await host.edgeOutput())}`)
    }
  }

  async function runningConfig(): Promise<string | undefined> {
    try {
      return (await runtime.info()).get('description')?.replace('berth-', '') ?? ''
    } catch {
      return undefined // no socket, or nobody behind it: the same to us, and the caller starts one
    }
  }

  async function answersInTime(): Promise<boolean> {
    for (let waited = 0; waited < startWithinMs; waited += 50) {
      if ((await runningConfig()) === configHash) return true
      await sleep(50)
    }
    return false
  }

  return { ensure }
}
