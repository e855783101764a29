import { readFile } from 'node:fs/promises'
import { createApplyWanted } from './apply.ts'
import { createEdgeChecks } from './checks.ts'
import type { Edge, EdgeCertificate, EdgeLog, EdgeRoutes } from './edge.ts'
import { createEdgeFiles } from './files.ts'
import { haproxyConfig } from './haproxy/config.ts'
import { createHaproxyRuntime, createRuntimeOver, type RuntimeSockets } from './haproxy/runtime.ts'
import { type HaproxySettings, IN_FLIGHT_TABLE } from './haproxy/terms.ts'
import type { EdgeHost, EdgeImageSource } from './host/container.ts'
import { createEdgeProcess } from './host/process.ts'
import { createEdgeLoop } from './loop.ts'
import { type EdgeDisk, OWN_DISK } from './map-files.ts'
import { targetSet } from './maps.ts'
import { type EdgePaths, edgePaths } from './paths.ts'

export type EdgeDeps = {
  settings: HaproxySettings
  /** Undefined: we may not start HAProxy here, and use one that somebody else runs with our files. */
  host: EdgeHost | undefined
  image: EdgeImageSource
  certificates: () => Promise<readonly EdgeCertificate[]>
  /** Of several nodes: false while another one may have stopped this edge. One of them never starts with unknown routes, either. */
  mayStart?: (() => boolean) | undefined
  log: EdgeLog
  now: () => Date
  newId: () => string
  onReload: () => void
  repairEveryMs?: number
  startWithinMs?: number
  /** Undefined for the HAProxy of this machine. */
  place?: EdgePlace
}

/** Where an HAProxy is that is not on this machine. */
export type EdgePlace = {
  readonly disk: EdgeDisk
  readonly sockets: RuntimeSockets
  readonly readCertificate: (path: string) => Promise<string>
  readonly bringCertificates: (certificates: readonly EdgeCertificate[], when: 'before' | 'after') => Promise<void>
  /** The same routes as they are reached from there, once they are. */
  readonly seenFromThere: (routes: EdgeRoutes) => Promise<EdgeRoutes>
}

/** Wanted → compare → apply → verify. */
export function createEdgeController(deps: EdgeDeps): Edge {
  const { host, certificates, log, place, repairEveryMs = 30_000 } = deps
  const paths = edgePaths(deps.settings.dir)
  const { runtime, disk, readCertificate, bringCertificates } = handsOf(deps, paths)
  const checks = createEdgeChecks({ paths, disk, runtime })
  const config = () => haproxyConfig(deps.settings, checks.current())
  const files = createEdgeFiles({ paths, config: () => config().text, checked: checks.current, disk, now: deps.now })
  const process = createEdgeProcess({ ...deps, paths, files, runtime, configHash: () => config().hash })
  const ways = { paths, runtime, readCertificate, bringCertificates }
  const applyWanted = createApplyWanted({ ...ways, instance: deps.newId(), files, process, checks, log })
  const parts = { files, process, checks, applyWanted, certificates, seenFromThere: place?.seenFromThere }
  return {
    ...createEdgeLoop({ ...parts, isOff: host === undefined, log, repairEveryMs }),
    isRefused: applyWanted.isRefused,
    inFlight: (targets) => runtime.tableCount(IN_FLIGHT_TABLE, targetSet(targets).set),
    isServing: runtime.isListenedTo,
  }
}

/** What the controller works with: on this machine, or there. */
function handsOf({ place }: Pick<EdgeDeps, 'place'>, paths: EdgePaths) {
  if (place !== undefined) return { ...place, runtime: createRuntimeOver(place.sockets) }
  return {
    runtime: createHaproxyRuntime({ socketPath: paths.socket, masterSocketPath: paths.masterSocket }),
    disk: OWN_DISK,
    readCertificate: async (path: string) => await readFile(path, 'utf8'),
    bringCertificates: undefined,
  }
}
