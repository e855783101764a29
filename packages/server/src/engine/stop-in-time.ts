import type { Engine } from './engine.ts'

type Deps = {
  engine: { containers: Pick<Engine['containers'], 'inspect' | 'stop' | 'restart'> }
  /** For containers that ask for no time of their own. */
  graceSeconds: number
}

/** How long a container may take to end: as long as its compose file says (`stop_grace_period`). */
export function createGraceOf({
  engine,
  graceSeconds,
}: { engine: { containers: Pick<Engine['containers'], 'inspect'> } } & Pick<Deps, 'graceSeconds'>) {
  return async function graceOf(id: string, signal?: AbortSignal): Promise<number> {
    return (await engine.containers.inspect(id, signal))?.stopGraceSeconds ?? graceSeconds
  }
}

/** Stops and restarts containers, each in the time that it asks for. Whoever repairs asks first whether one is being stopped. */
export function createStopInTime(deps: Deps) {
  const { containers } = deps.engine
  const graceOf = createGraceOf(deps)
  const underWay = new Map<string, number>()

  async function stop(id: string): Promise<void> {
    underWay.set(id, (underWay.get(id) ?? 0) + 1)
    try {
      await containers.stop(id, await graceOf(id))
    } finally {
      const others = (underWay.get(id) ?? 1) - 1
      if (others === 0) underWay.delete(id)
      else underWay.set(id, others)
    }
  }

  return {
    stop,
    restart: async (id: string): Promise<void> => await containers.restart(id, await graceOf(id)),
    isUnderWay: (id: string): boolean => underWay.has(id),
  }
}

export type StopInTime = ReturnType<typeof createStopInTime>
