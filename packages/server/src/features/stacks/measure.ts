import type { Engine } from '../../engine/engine.ts'

type Deps = {
  engine: { containers: Pick<Engine['containers'], 'counters'> }
  /** Monotonic milliseconds. */
  clock: () => number
  sleep: (ms: number) => Promise<unknown>
}
type Counted = { readonly nanoseconds: number; readonly at: number }
type Used = { readonly cpu: number; readonly memory: number }

const NANOSECONDS_PER_MS = 1e6
/** CPU time over a shorter period is not meaningful. */
const SHORTEST_MS = 400
/** Pages ask every few seconds. An older reading says nothing about the present. */
const LONGEST_MS = 60_000
const MOST_KEPT = 2000

/** CPU in percent of one core, and memory, from this reading and the previous one, so that only the first takes a moment. */
export function createMeasureContainers({ engine, clock, sleep }: Deps) {
  const before = new Map<string, Counted>()

  async function read(id: string): Promise<(Counted & { memory: number }) | undefined> {
    const counters = await engine.containers.counters(id)
    return counters === null ? undefined : { nanoseconds: counters.cpuNanoseconds, memory: counters.memoryBytes, at: clock() }
  }

  function rate(earlier: Counted, later: Counted): number {
    const used = Math.max(0, later.nanoseconds - earlier.nanoseconds) // it may have been restarted in between
    return Math.round((used / NANOSECONDS_PER_MS / (later.at - earlier.at)) * 1000) / 10
  }

  function keep(id: string, counted: Counted): void {
    before.delete(id)
    before.set(id, counted)
    const [oldest] = before.keys()
    if (before.size > MOST_KEPT && oldest !== undefined) before.delete(oldest)
  }

  return async function measure(id: string): Promise<Used | undefined> {
    const first = await read(id)
    if (first === undefined) return undefined
    const known = before.get(id)
    const age = known === undefined ? Number.POSITIVE_INFINITY : first.at - known.at
    if (known !== undefined && age >= SHORTEST_MS && age <= LONGEST_MS) {
      keep(id, first)
      return { cpu: rate(known, first), memory: first.memory }
    }
    await sleep(SHORTEST_MS)
    const second = await read(id)
    if (second === undefined) return undefined
    keep(id, second)
    return { cpu: rate(first, second), memory: second.memory }
  }
}

export type MeasureContainer = ReturnType<typeof createMeasureContainers>
