import { setTimeout as sleep } from 'node:timers/promises'
import type { HaproxyRuntime } from '../haproxy/runtime.ts'
import type { HaproxySettings } from '../haproxy/terms.ts'
import type { EdgePaths } from '../paths.ts'
import { type EdgeHost, type EdgeImageSource, edgeContainerSpec } from './container.ts'
import { portProblem } from './port-check.ts'

const SUMS_UP = /(Error\(s\)|Fatal errors) found in configuration/

/** What HAProxy itself says went wrong, short enough for one message. */
export function lastAlerts(output: string): string {
  const alerts = output.split('\n').filter((line) => line.includes('[ALERT]') && !SUMS_UP.test(line))
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
  /** Whoever reads from HAProxy for long is still with the worker that ends. */
  onReload: () => void
  startWithinMs?: number
}) {
  const { settings, host, image, paths, runtime, configHash, onReload, startWithinMs = 10_000 } = deps
  let isReloading = false

  /** `whichever` is served by an HAProxy of an earlier configuration too: what it routes by is still in the form that it knows. */
  async function ensure(wanted: 'ours' | 'whichever'): Promise<void> {
    const found = await runningConfig()
    if (found === configHash) return reloaded()
    if (found !== undefined && wanted === 'whichever') return
    if (host === undefined) {
      throw new Error(
        found === undefined ? 'No edge is running, and none may be started here.' : 'The edge runs with an older configuration.',
      )
    }
    const spec = edgeContainerSpec(paths)
    const isAsWanted = (await host.inspectEdge(spec.fingerprint)) === 'running'
    if (isAsWanted) {
      const answered = found ?? (await inTime((config) => config !== undefined))
      if (answered === configHash) return
      if (answered !== undefined) return await reload(host)
    }
    await host.removeEdge()
    const problem =
      (await portProblem(settings.httpPort, 'BERTH_EDGE_HTTP_PORT')) ?? (await portProblem(settings.httpsPort, 'BERTH_EDGE_HTTPS_PORT'))
    if (problem !== undefined) throw new Error(problem)
    await host.runEdge({ ...spec, image: await host.ensureImage(image) })
    if ((await inTime(isOurs)) === undefined) {
      throw new Error(`HAProxy was started and did not answer within ${startWithinMs / 1000} s.${lastAlerts(await host.edgeOutput())}`)
    }
  }

  /** Until the earlier worker has heard of it, either of the two may answer. */
  async function reload(from: EdgeHost): Promise<void> {
    isReloading = true
    await from.reloadEdge()
    for (let inARow = 0; inARow < 3; inARow += 1) {
      if ((await inTime(isOurs)) === undefined) {
        const reason = lastAlerts(await from.edgeOutput())
        throw new Error(
          `HAProxy did not take its new configuration within ${startWithinMs / 1000} s, and goes on with the old one.${reason}`,
        )
      }
      await sleep(50)
    }
    reloaded()
  }

  /** Also where that took longer than anybody waited. */
  function reloaded(): void {
    if (isReloading) onReload()
    isReloading = false
  }

  async function runningConfig(): Promise<string | undefined> {
    try {
      return (await runtime.info()).get('description')?.replace('berth-', '') ?? ''
    } catch {
      return undefined // no socket, or nobody behind it: the same to us, and the caller starts one
    }
  }

  const isOurs = (config: string | undefined) => config === configHash

  /** The configuration that runs, once it is one that fits. */
  async function inTime(fits: (config: string | undefined) => boolean): Promise<string | undefined> {
    const giveUpAt = performance.now() + startWithinMs
    while (performance.now() < giveUpAt) {
      const config = await runningConfig()
      if (fits(config)) return config
      await sleep(50)
    }
    return undefined
  }

  return { ensure }
}
