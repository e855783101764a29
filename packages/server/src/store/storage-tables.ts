import type { Generated } from 'kysely'

export type AppFileTable = {
  id: Generated<number>
  app_id: number
  path: string
  mode: string
  bytes: number
  sealed_content: string
  created_at: string
  updated_at: string
}

/** The files of a release, while it can still be started. */
export type ReleaseFilesTable = { deployment_id: number; app_id: number; sealed_files: string }
