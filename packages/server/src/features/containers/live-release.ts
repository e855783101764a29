import { artifactOf } from '../../domain/artifact.ts'
import type { AppRow } from '../../domain/rows.ts'
import type { ContainerSummary } from '../../engine/container-state.ts'
import type { Reader } from '../../store/database.ts'
import type { AppContainers } from '../deployments/release/app-containers.ts'
import { findLive } from './store.ts'

/** The containers of the live release; those that serve visitors come first, by number. */
export function createLiveRelease(deps: { db: Reader; containers: Pick<AppContainers, 'ofRelease'> }) {
  return async function liveRelease(
    app: AppRow,
    signal?: AbortSignal,
  ): Promise<{ deploymentId: number; processes: string; containers: ContainerSummary[] } | undefined> {
    const active = await findLive(deps.db, app.id)
    if (!active) return undefined
    const containers = await deps.containers.ofRelease(app.id, active.id, signal)
    const artifact = artifactOf(active)
    const main = artifact?.kind === 'compose' ? artifact.mainService : null
    const first = ({ owner }: ContainerSummary) => (owner.service === main ? 0 : 1)
    const sorted = containers.toSorted((a, b) => first(a) - first(b) || a.owner.replica - b.owner.replica)
    return { deploymentId: active.id, processes: active.processes, containers: sorted }
  }
}

export type LiveRelease = ReturnType<typeof createLiveRelease>
