import { LABEL } from '../../src/engine/labels.ts'
import type { DeployLab } from '../../testing/labs/deploy-lab.ts'

/** Watches how many releases of an app run at once, seen from the engine: it goes on while the server is dead. */
export function watchHolders(lab: DeployLab, appId: number) {
  const stopping = new AbortController()
  const running = new Map<string, string>()
  const wrong: string[] = []
  let starts = 0
  const listening = (async () => {
    for (const { id, state, owner } of await lab.containersOf(appId)) if (state === 'running') running.set(id, String(owner.deploymentId))
    for await (const { action, containerId, labels } of lab.engine.events({ instance: lab.instance, signal: stopping.signal })) {
      if (labels[LABEL.app] !== String(appId) || labels[LABEL.service] === 'release') continue
      if (action === 'start') {
        starts += 1
        running.set(containerId, labels[LABEL.deployment] ?? '')
      }
      if (action === 'die') running.delete(containerId)
      if (running.size > 1) wrong.push(`these releases held the volume at once: ${[...running.values()].join(', ')}`)
    }
  })().catch(() => undefined) // it is stopped by an abort

  return {
    /** What must never be. */
    wrong: (): string[] => wrong,
    starts: () => starts,
    async stop(): Promise<void> {
      stopping.abort()
      await listening
    },
  }
}

export type Holders = ReturnType<typeof watchHolders>
