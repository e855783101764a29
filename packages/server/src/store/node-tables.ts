import type { Generated } from 'kysely'

/** A process on this database that has a name (docs/decisions/0016). */
export type ControlPlaneTable = {
  name: string
  /** Of its current run; empty after it has ended in order. */
  boot_id: string
  /** By the clock of the database, and so is the next one. Empty: an earlier version of Berth began its last run. */
  started_at: Generated<string>
  heartbeat_at: string
  version: string
  /** A hash of its keys, which all must share. */
  keys: string
  /** Its edge answers the challenges up to this one. */
  challenge_seen: Generated<number>
  /** Its edge serves the routes up to this revision. */
  routes_seen: Generated<number>
  /** The apps, as JSON, that its edge still has requests for at places that no longer get visitors. */
  routes_busy: Generated<string>
  /** 1: another node has stopped its edge, because it was gone. 2: it is about to do so. */
  edge_stopped: Generated<0 | 1 | 2>
  /** Of the machine, as JSON: its own and those of its edge. */
  ports: Generated<string>
}

/** What the edges of all nodes do for an app beside what its rows say. */
export type RouteChangeTable = {
  app_id: number
  /** Grows with each change of any app. */
  revision: number
  /** The release that is being rolled out, as JSON; empty if there is none. */
  target: string
  /** As JSON: the sets of targets whose requests are being waited for. */
  drain: string
  /** As JSON: the containers that get no visitors for now, each with the boot id of the node that wants it so. */
  resting: string
}

/** Work that only one of them does at a time, until the lease expires. */
export type LeaseTable = { name: string; holder: string; fence: number; until: string }
