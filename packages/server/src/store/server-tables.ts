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

/** Which server has the data of an app: `this` is the one that Berth runs on. Its name is for sentences, also when it is gone. */
export type AppDataTable = {
  app_id: number
  server: string
  server_name: string
  decided_at: string
  /** Why the last move went back; empty if it did not. */
  move_problem: Generated<string>
}

/** A move that has not ended. Before `switched` the data is where it was, afterwards at the destination. */
export type DataMoveTable = {
  app_id: number
  from_server: string
  from_name: string
  from_placement: string
  to_server: string
  to_name: string
  stage: 'copying' | 'switched' | 'back'
  /** Why it goes back. */
  problem: string
}

/** A volume on another server that is to be removed once the server answers; all of the app if `volume` is empty. */
export type LeftVolumeTable = { id: Generated<number>; app_id: number; server: string; volume: string }

export type ServerTables = {
  server_outage: ServerOutageTable
  app_data: AppDataTable
  data_move: DataMoveTable
  left_volume: LeftVolumeTable
}
