import { coalesce } from '../lib/coalesce.ts'
import { backoffMs } from '../lib/retry.ts'
import type { createApplyWanted } from './apply.ts'
import type { EdgeChecks } from './checks.ts'
import { type Edge, type EdgeCertificate, EdgeProblem, type EdgeRoutes, type EdgeState, EdgeUnavailable, type ReadRoutes } from './edge.ts'
import type { createEdgeFiles } from './files.ts'
import type { createEdgeProcess } from './host/process.ts'

type Deps = {
  files: Pick<ReturnType<typeof createEdgeFiles>, 'prepare' | 'invalidate'>
  process: Pick<ReturnType<typeof createEdgeProcess>, 'ensure'>
  checks: Pick<EdgeChecks, 'load'>
  applyWanted: Pick<ReturnType<typeof createApplyWanted>, 'put'>
  /** Those to begin with. */
  certificates: () => Promise<readonly EdgeCertificate[]>
  /** Of an edge elsewhere. */
  seenFromThere: ((routes: EdgeRoutes) => Promise<EdgeRoutes>) | undefined
  /** We may not start HAProxy. */
  isOff: boolean
  log: { warn(fields: object, message: string): void }
  repairEveryMs: number
}

/** Soon at first, and at the latest with the regular repair. */
const RETRY = { firstMs: 1000, longestMs: 30_000 }
const UNNAMED = "The proxy could not be updated. Berth's log says why."

/** What the edge should serve, and the passes that bring HAProxy there. All changes wait in one queue. */
export function createEdgeLoop(deps: Deps): Omit<Edge, 'isRefused' | 'inFlight' | 'isServing'> {
  const { files, process, checks, applyWanted, seenFromThere, isOff, log, repairEveryMs } = deps
  const challenges = new Map<string, string>()
  /** Undefined until somebody knows what is wanted. */
  let readRoutes: ReadRoutes | undefined
  let routes: EdgeRoutes | undefined
  let certificates: readonly EdgeCertificate[] | undefined
  let state: EdgeState = { state: 'starting', message: 'The proxy is starting.', refused: [] }

  async function pass(isFull: boolean): Promise<void> {
    if (isFull) files.invalidate()
    await checks.load()
    await files.prepare()
    certificates ??= await deps.certificates()
    const read = await readRoutes?.()
    routes = read && seenFromThere ? await seenFromThere(read) : read
    if (routes === undefined) await process.ensure('whichever')
    const refused = routes === undefined ? [] : await applyWanted.put({ routes, certificates, challenges }, isFull)
    state = { state: 'ready', message: 'The proxy is running.', refused }
  }

  function onFailure(message: string, err: unknown): void {
    state = { state: isOff ? 'off' : 'unreachable', message, refused: state.refused }
    log.warn({ err }, 'Proxy not up to date')
  }

  const { request, repair, close } = createPasses({ pass, onFailure, repairEveryMs })

  return {
    async update(wanted) {
      readRoutes = wanted
      await request()
    },
    async setCertificates(wanted) {
      certificates = wanted
      await request()
    },
    async addChallenge(token, answer) {
      if (routes === undefined) throw new EdgeUnavailable('The proxy does not know its routes yet.')
      challenges.set(token, answer)
      await request()
    },
    async removeChallenge(token) {
      if (challenges.delete(token)) await request()
    },
    state: () => state,
    repair,
    close,
  }
}

type PassDeps = Pick<Deps, 'repairEveryMs'> & {
  pass: (isFull: boolean) => Promise<void>
  onFailure: (message: string, cause: unknown) => void
}

/**
 * Runs passes one at a time: at the beginning, on request, soon after a failure, and regularly in full. Requests that arrive during a pass
 * share the next one.
 */
function createPasses({ pass, onFailure, repairEveryMs }: PassDeps) {
  const next = coalesce(runPass)
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let isFullDue = true
  let isClosed = false

  async function runPass(): Promise<void> {
    if (isClosed) return
    clearTimeout(timer)
    const isFull = isFullDue
    isFullDue = false
    try {
      await pass(isFull)
      failures = 0
      plan(repairEveryMs)
    } catch (cause) {
      failures += 1
      isFullDue = true
      const message = cause instanceof EdgeProblem ? cause.message : UNNAMED
      onFailure(message, cause)
      plan(backoffMs(failures, RETRY))
      throw new EdgeUnavailable(message, { cause })
    }
  }

  function plan(delayMs: number): void {
    if (isClosed) return
    timer = setTimeout(begin, delayMs)
    timer.unref()
  }

  /** A full pass in the background. A failure has already been passed to `onFailure`, and the next attempt is scheduled. */
  function begin(): void {
    repair().catch(() => undefined)
  }

  async function request(): Promise<void> {
    if (isClosed) throw new EdgeUnavailable('The edge controller is closed.')
    await next()
  }

  async function repair(): Promise<void> {
    isFullDue = true
    await request()
  }

  /** Waits for the running pass. No other one follows. */
  async function close(): Promise<void> {
    isClosed = true
    clearTimeout(timer)
    await next()
  }

  begin()
  return { request, repair, close }
}
