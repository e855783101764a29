import { deploysImage } from './app-kinds.ts'
import type { AppRow } from './rows.ts'

/** Whose registry credentials count: those of the project, then those of the person who named the image, if there is one. */
export type ImageUser = {
  readonly projectId: number
  readonly personId: number | null
  /** Who named the image, where credentials of a person do not count. */
  readonly namedBy?: number | null
}

export function imageUserOf(app: Pick<AppRow, 'project_id' | 'source_set_by' | 'app_type' | 'builder'>): ImageUser {
  return { projectId: app.project_id, personId: deploysImage(app) ? app.source_set_by : null }
}
