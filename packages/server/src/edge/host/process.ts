import { setTimeout as sleep } from 'node:timers/promises'
import { poll } from '../../lib/retry.ts'
import { EdgeProblem } from '../edge.ts'
import type { createEdgeFiles } from '../files.ts'
import type { HaproxyRuntime } from '../haproxy/runtime.ts'
import type { HaproxySettings } from '../haproxy/terms.ts'
import type { EdgePaths } from '../paths.ts'
import { type EdgeHost, type EdgeImageSource, edgeContainerSpec } from './container.ts'
import { portProblem } from './port-check.ts'

const LOOK_MS = 50
/** HAProxy reads all certificates before it answers. One with a long chain takes some milliseconds, on a busy machine several times as long. */
const EACH_CERTIFICATE_MS = 25
/** After so many looks, whether HAProxy still runs at all. */
const ENDED_EVERY = 10
/** The edges of other nodes, with which this one shares its ports. */
const HAPROXY = 'haproxy'
const SUMS_UP = /(Error\(s\)|Fatal errors) found in configuration/

/** HAProxy's own error messages, shortened. */
export function lastAlerts(output: string): string {
  const alerts = output.split('\n').filter((line) => line.includes('[ALERT]') && !SUMS_UP.test(line))
  const said = alerts.slice(-2).map((line) => line.replace(/^.*\[ALERT\]\s*\(\d+\)\s*:\s*/, '').trim())
  return said.join(' ')
}

type Deps = {
  settings: HaproxySettings
  host: EdgeHost | undefined
  image: EdgeImageSource
  paths: EdgePaths
  files: Pick<ReturnType<typeof createEdgeFiles>, 'withoutCertificates'>
  runtime: HaproxyRuntime
  certificates: () => Promise<readonly unknown[]>
  /** It becomes another one with the first container on another server. */
  configHash: () => string
  /** Long-lived readers are still connected to the previous worker. */
  onReload: () => void
  startWithinMs?: number
  mayStart?: (() => boolean) | undefined
  log: { warn(fields: object, message: string): void }
}

/** Makes sure that an HAProxy with our configuration answers on its socket. */
export function createEdgeProcess(deps: Deps) {
  const { host, paths, runtime, configHash, onReload, startWithinMs = 10_000 } = deps
  const withinMs = async () => startWithinMs + EACH_CERTIFICATE_MS * (await deps.certificates()).length
  const { runningConfig, inTime } = createConfigLook(runtime, withinMs)
  const isOurs = (config: string | undefined) => config === configHash()
  const readFiles = createReadFiles(deps)
  const start = createStart(deps)
  let isReloading = false

  /** `whichever` accepts an HAProxy with an earlier configuration: its routes on disk are still in the form it knows. */
  async function ensure(wanted: 'ours' | 'whichever'): Promise<void> {
    const found = await runningConfig()
    if (isOurs(found)) return reloaded()
    if (found !== undefined && wanted === 'whichever') return
    if (host === undefined) {
      throw new EdgeProblem(
        found === undefined
          ? 'No proxy is running, and starting one is turned off (BERTH_PROVISION).'
          : 'The proxy runs with an older configuration.',
      )
    }
    const spec = edgeContainerSpec(paths)
    const hasEnded = async () => (await host.inspectEdge(spec.fingerprint)) === 'stopped'
    const isAsWanted = (await host.inspectEdge(spec.fingerprint)) === 'running'
    if (isAsWanted) {
      const answered = found ?? (await inTime((config) => config !== undefined, hasEnded))
      if (isOurs(answered)) return
      if (answered !== undefined) {
        return await readFiles(host, {
          attempt: async () => await reload(host),
          otherwise: 'HAProxy did not load its new configuration in time, and keeps using the old one.',
        })
      }
    }
    await readFiles(host, {
      attempt: async () => {
        await start(host, wanted)
        return (await inTime(isOurs, hasEnded)) !== undefined
      },
      otherwise: 'HAProxy was started but ended, or did not answer in time.',
    })
  }

  /** Until the previous worker has stopped listening, either of the two may answer. */
  async function reload(from: EdgeHost): Promise<boolean> {
    isReloading = true
    await from.reloadEdge()
    for (let inARow = 0; inARow < 3; inARow += 1) {
      if ((await inTime(isOurs)) === undefined) return false
      await sleep(LOOK_MS)
    }
    reloaded()
    return true
  }

  /** Also called when the reload took longer than we waited. */
  function reloaded(): void {
    if (isReloading) onReload()
    isReloading = false
  }

  return { ensure }
}

/** Starts HAProxy, instead of one that does not answer. */
function createStart({ settings, image, paths, mayStart }: Pick<Deps, 'settings' | 'image' | 'paths' | 'mayStart'>) {
  function refuse(wanted: 'ours' | 'whichever'): void {
    if (mayStart && (wanted === 'whichever' || !mayStart()))
      throw new EdgeProblem('The proxy starts when this node has been heard of by the others and knows the routes.')
  }

  async function start(from: EdgeHost, wanted: 'ours' | 'whichever'): Promise<void> {
    refuse(wanted)
    await from.removeEdge()
    const problem = from.isElsewhere === true ? undefined : await portsProblem(from)
    if (problem !== undefined) throw new EdgeProblem(problem)
    const ready = await from.ensureImage(image)
    refuse(wanted) // getting the image can take minutes
    await from.runEdge({ ...edgeContainerSpec(paths), image: ready })
  }

  async function portsProblem(from: EdgeHost): Promise<string | undefined> {
    const siblings = (await from.hasSiblings()) ? HAPROXY : undefined
    return (
      (await portProblem(settings.httpPort, 'BERTH_EDGE_HTTP_PORT', siblings)) ??
      (await portProblem(settings.httpsPort, 'BERTH_EDGE_HTTPS_PORT', siblings))
    )
  }

  return start
}

/** One rejected certificate must not keep everything else down: HAProxy starts without any, and they are added while it runs. */
function createReadFiles({ paths, files, log }: Pick<Deps, 'paths' | 'files' | 'log'>) {
  return async (from: EdgeHost, { attempt, otherwise }: { attempt: () => Promise<boolean>; otherwise: string }): Promise<void> => {
    if (await attempt()) return
    const output = await from.edgeOutput()
    const said = lastAlerts(output)
    // The placeholder is in the same directory, and HAProxy cannot start without it.
    const isCertificate = output.includes(paths.certificatesDir) && !said.includes(paths.placeholder)
    if (isCertificate && (await files.withoutCertificates(attempt))) {
      log.warn(
        { said },
        'HAProxy rejected a certificate when it started; it was started without certificates, which are now added one by one',
      )
      return
    }
    throw new EdgeProblem(`${otherwise} Berth's log has its output.`, { cause: new Error(said) })
  }
}

type Fits = (config: string | undefined) => boolean

/** The configuration of the running HAProxy. */
function createConfigLook(runtime: HaproxyRuntime, withinMs: () => Promise<number>) {
  async function runningConfig(): Promise<string | undefined> {
    try {
      return (await runtime.info()).get('description')?.replace('berth-', '') ?? ''
    } catch {
      return undefined // no socket, or nothing listens on it: either way the caller starts HAProxy
    }
  }

  /** Waits until the running configuration is accepted. Undefined on a timeout, or when HAProxy has ended. */
  async function inTime(fits: Fits, hasEnded?: () => Promise<boolean>): Promise<string | undefined> {
    let [config, looks, isOver]: [string | undefined, number, boolean] = [undefined, 0, false]
    const look = async () => {
      config = await runningConfig()
      looks += 1
      // asks the engine, so not each time
      if (hasEnded && !fits(config) && looks % ENDED_EVERY === 0) isOver = await hasEnded().catch(() => false)
      return config
    }
    await poll(look, { until: (found) => fits(found) || isOver, everyMs: LOOK_MS, limitMs: await withinMs() })
    return fits(config) ? config : undefined
  }

  return { runningConfig, inTime }
}
