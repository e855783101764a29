import type { Generated } from 'kysely'

/** A process on this database that has a name (docs/decisions/0016). */
export type ControlPlaneTable = {
  name: string
  /** Of its current run. */
  boot_id: string
  /** By the clock of the database. */
  heartbeat_at: string
  version: string
  /** A hash of its keys, which all must share. */
  keys: string
  /** Its edge answers the challenges up to this one. */
  challenge_seen: Generated<number>
}

/** Work that only one of them does at a time, until the lease expires. */
export type LeaseTable = { name: string; holder: string; fence: number; until: string }
