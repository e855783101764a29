import { abortedLater } from '../lib/aborted-later.ts'
import type { Engine } from './engine.ts'

/** How long the engine may take, besides the time that the container has. */
const ENGINE_SECONDS = 10

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

/**
 * Waits for the end also if it is aborted meanwhile: the engine goes on with what it has begun, and whoever looks at the container then must
 * not take it for running.
 */
export async function stopToTheEnd(
  engine: { containers: Pick<Engine['containers'], 'stop'> },
  { id, graceSeconds, signal }: { id: string; graceSeconds: number; signal: AbortSignal },
): Promise<void> {
  await engine.containers.stop(id, graceSeconds, abortedLater(signal, (graceSeconds + ENGINE_SECONDS) * 1000))
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
