import { LABEL } from '../../src/engine/labels.ts'
import type { DeployLab } from '../../testing/labs/deploy-lab.ts'

/** Counts how often the release command of each deployment was started, seen from the engine: it goes on while the server is dead. */
export function countReleaseRuns(lab: DeployLab) {
  const stopping = new AbortController()
  const runs = new Map<string, number>()
  const listening = (async () => {
    for await (const { action, labels } of lab.engine.events({ instance: lab.instance, signal: stopping.signal })) {
      if (action !== 'start' || labels[LABEL.service] !== 'release') continue
      const id = labels[LABEL.deployment] ?? ''
      runs.set(id, (runs.get(id) ?? 0) + 1)
    }
  })().catch(() => undefined) // it is stopped by an abort

  return {
    of: (deploymentId: number) => runs.get(String(deploymentId)) ?? 0,
    /** What must never be: a command that ran twice, and a release that went live without it. */
    wrong(): string[] {
      const rows = lab.rows<{ id: number; status: string; release_run: string }>('select id, status, release_run from deployment')
      const twice = [...runs].filter(([, count]) => count > 1).map(([id, count]) => `the release command of ${id} ran ${count} times`)
      const switched = rows.filter(({ status, release_run }) => status === 'success' && release_run === 'begun')
      return [...twice, ...switched.map(({ id }) => `${id} is live, and its release command has not ended`)]
    },
    async stop(): Promise<void> {
      stopping.abort()
      await listening
    },
  }
}

export type ReleaseRuns = ReturnType<typeof countReleaseRuns>
