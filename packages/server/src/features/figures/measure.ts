import type { ContainerSummary } from '../../engine/container-state.ts'
import type { Engine } from '../../engine/engine.ts'
import { ownedBy } from '../../engine/labels.ts'

type Deps = { engine: { containers: Pick<Engine['containers'], 'list' | 'counters'> }; instance: string }
type Usage = { cpu: number; memory: number }
type Seen = { nanoseconds: number; at: number }

/** Only a few requests at a time, because the engine has other work. */
const AT_ONCE = 4
/** CPU time counts from the start of a container, so for a new one the first reading is enough. */
const YOUNG_MS = 5 * 60_000
const NANOSECONDS_PER_MS = 1e6

/** CPU and memory of every running app. CPU is the mean since the last measurement, in percent of one core. */
export function createMeasure({ engine, instance }: Deps) {
  let seen = new Map<string, Seen>()

  async function usageOf({ id, createdAt }: ContainerSummary, at: number): Promise<(Usage & { seen: Seen }) | undefined> {
    const counters = await engine.containers.counters(id)
    if (counters === null) return undefined
    const born = Date.parse(createdAt)
    const before = seen.get(id) ?? (at - born < YOUNG_MS ? { nanoseconds: 0, at: born } : undefined)
    const used = before ? counters.cpuNanoseconds - before.nanoseconds : Number.NaN
    const cpu = before && used >= 0 && at > before.at ? (used / NANOSECONDS_PER_MS / (at - before.at)) * 100 : Number.NaN
    return { cpu, memory: counters.memoryBytes, seen: { nanoseconds: counters.cpuNanoseconds, at } }
  }

  return async function measure(now: Date): Promise<Map<number, Usage>> {
    const containers = await engine.containers.list({ labels: ownedBy({ instance }) })
    const waiting = containers.filter(({ state, owner }) => state === 'running' && owner.appId !== null)
    const used = new Map<number, Usage>()
    const next = new Map<string, Seen>()
    const worker = async () => {
      for (let container = waiting.pop(); container; container = waiting.pop()) {
        const usage = await usageOf(container, now.getTime())
        if (!usage || container.owner.appId === null) continue
        next.set(container.id, usage.seen)
        const { cpu, memory } = used.get(container.owner.appId) ?? { cpu: 0, memory: 0 }
        used.set(container.owner.appId, { cpu: cpu + usage.cpu, memory: memory + usage.memory })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    seen = next
    return used
  }
}

export type Measure = ReturnType<typeof createMeasure>
