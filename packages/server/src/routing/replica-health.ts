import type { EdgeTarget } from '../edge/edge.ts'
import type { Candidate } from './routed-release.ts'

/** Whether something listens there and, if a path is given, answers well at it. */
export type ProbeTarget = (target: EdgeTarget, path: string) => Promise<boolean>

/** The candidates behind one endpoint of an app. */
export type Watched = { readonly candidates: readonly Candidate[]; readonly path: string }

const keyOf = ({ id, target }: Candidate): string => `${id}:${target.port}`

/**
 * Which replicas answer. HAProxy itself sends a request that one refuses to another, so this only saves it failed attempts. One that
 * is started beside others must answer before it gets visitors, at the health check path too. Where there is no other, it is not asked.
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
        if (!ready.has(key) || ready.get(key) === is) return false
        ready.set(key, is)
        return true
      }),
    )
    return changes.includes(true)
  }

  /** Containers that get no new visitors, as long as another one of their app answers. */
  const resting = new Set<string>()
  const isReady = (candidate: Candidate): boolean => !resting.has(candidate.id) && (ready.get(keyOf(candidate)) ?? true)
  return { watch, look, isReady, resting }
}
