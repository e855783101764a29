import type { EdgeTarget } from '../edge/edge.ts'
import type { Candidate } from './routed-release.ts'

/** Whether something listens there and, if a path is given, answers well at it. */
export type ProbeTarget = (target: EdgeTarget, path: string) => Promise<boolean>

/** The candidates behind one endpoint of an app. */
export type Watched = { readonly candidates: readonly Candidate[]; readonly path: string }

const keyOf = ({ id, target }: Candidate): string => `${id}:${target.port}`

/**
 * Which replicas answer. HAProxy itself sends a request that one refuses to another, so this only saves it failed attempts. One that
 * is started beside others must answer before it gets visitors, at the health check path too. The only replica of an app is not asked.
 */
export function createReplicaHealth({ probe }: { probe: ProbeTarget }) {
  let watched: readonly Watched[] = []
  let ready = new Map<string, boolean>()

  /** All endpoints of all apps, at each pass of the edge. What is not among them is forgotten, such as a container that has stopped. */
  function watch(endpoints: readonly Watched[]): void {
    const next = new Map<string, boolean>()
    for (const { candidates } of endpoints) {
      const isBesideOthers = candidates.some((each) => ready.has(keyOf(each)))
      for (const each of candidates) next.set(keyOf(each), ready.get(keyOf(each)) ?? !isBesideOthers)
    }
    ready = next
    watched = endpoints.filter(({ candidates }) => candidates.length > 1)
  }

  /** Asks each replica of every app that has several. Returns whether that changed anything. */
  async function look(): Promise<boolean> {
    const asked = watched.flatMap(({ candidates, path }) => candidates.map((candidate) => ({ candidate, path })))
    const changes = await Promise.all(
      asked.map(async ({ candidate, path }) => {
        const key = keyOf(candidate)
        const was = ready.get(key)
        const is = await probe(candidate.target, was === true ? '' : path)
        if (!ready.has(key) || ready.get(key) !== was || was === is) return false // forgotten, or another look was faster
        ready.set(key, is)
        return true
      }),
    )
    return changes.includes(true)
  }

  const resting = new Set<string>()
  const isReady = (candidate: Candidate): boolean => !resting.has(candidate.id) && (ready.get(keyOf(candidate)) ?? true)
  const isKnownReady = (candidate: Candidate): boolean => ready.has(keyOf(candidate)) && isReady(candidate)

  /** From now on a container gets no new visitors, as long as another one of its app answers. */
  const rest = (id: string): void => void resting.add(id)

  /** A container has just ended, and may be restarted before a look finds it down: it must answer again before it gets visitors. */
  function noteEnded(id: string): void {
    for (const { candidates } of watched) for (const each of candidates) if (each.id === id) ready.set(keyOf(each), false)
  }

  /** Ends a rest. The container may have been restarted meanwhile, so it must answer again before it gets visitors. */
  function wake(id: string): void {
    resting.delete(id)
    for (const key of ready.keys()) if (key.startsWith(`${id}:`)) ready.set(key, false)
  }

  return { watch, look, isReady, isKnownReady, rest, wake, noteEnded }
}
