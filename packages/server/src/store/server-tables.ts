import type { Generated } from 'kysely'

/** `containers` as JSON: what each was for. */
export type ServerOutageTable = {
  id: Generated<number>
  server_id: string
  server_name: string
  lost_at: string
  ended_at: string | null
  containers: string
  moved: number
}
