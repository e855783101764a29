import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isOverlayAddress } from '../../engine/subnets.ts'
import type { EdgePlace } from '../controller.ts'
import type { EdgeApp, EdgeCertificate, EdgeRoutes, EdgeTarget } from '../edge.ts'
import { RuntimeSilent } from '../haproxy/commands.ts'
import { createMirror, type EdgeDisk } from '../map-files.ts'
import type { EdgePaths } from '../paths.ts'
import type { AskThere } from './ask.ts'

/** How an edge there reaches containers: the networks that it has to be in, and other addresses of those on this server. */
type Reach = { readonly networks: readonly string[]; readonly addressOf: ReadonlyMap<string, string> }
type Deps = {
  ask: AskThere
  paths: EdgePaths
  /** Where the certificates are here. */
  certificatesDir: string
  reach: (addresses: readonly string[]) => Promise<Reach>
  /** Of the engine; all that the edge has to be in, from now on. */
  onNetworks: (networks: readonly string[]) => Promise<void>
}

/** The files, the sockets and the networks of an edge on another server, through its agent. */
export function createPlaceElsewhere({ ask, paths, certificatesDir, reach, onNetworks }: Deps) {
  const disk = createDiskElsewhere(ask)
  const mirror = createMirror(disk)
  let known: Reach = { networks: [], addressOf: new Map() }

  /** The path there is in another directory, so that HAProxy there finds it. */
  const there = (certificate: EdgeCertificate): EdgeCertificate => ({
    ...certificate,
    path: join(paths.certificatesDir, basename(certificate.path)),
  })
  const readCertificate = async (path: string): Promise<string> => await readFile(join(certificatesDir, basename(path)), 'utf8')

  /** Before the list names them, and until it does not name them any more: HAProxy does not start with a list that names a missing file. */
  async function bringCertificates(certificates: readonly EdgeCertificate[], when: 'before' | 'after'): Promise<void> {
    if (when === 'before') for (const { path } of certificates) await mirror.put(path, await readCertificate(path))
    else await ask('keepOnly', { paths: [paths.placeholder, ...certificates.map(({ path }) => path)] })
  }

  async function seenFromThere(routes: EdgeRoutes): Promise<EdgeRoutes> {
    const targets = routes.apps.flatMap((app) => [...app.targets, ...(app.fallback ?? [])])
    known = await reach([...new Set(targets.map(({ ip }) => ip))])
    await onNetworks(known.networks)
    return { apps: routes.apps.map((app) => appThere(app, known)) }
  }

  const sockets: EdgePlace['sockets'] = {
    ask: async (command) => await commandAt('haproxy', command),
    askMaster: async (command) => await commandAt('master', command),
    isListenedTo: async () => await commandAt('haproxy', 'show info').then(...YES_OR_NO),
  }

  async function commandAt(socket: 'haproxy' | 'master', command: string): Promise<string> {
    try {
      return (await ask('ask', { socket, command }))['answer'] ?? ''
    } catch (cause) {
      throw new RuntimeSilent(cause instanceof Error ? cause.message : String(cause), { cause })
    }
  }

  return {
    place: { disk, sockets, readCertificate, bringCertificates, seenFromThere } satisfies EdgePlace,
    there,
    /** The same targets as the edge there knows them. */
    targetsThere: (targets: readonly EdgeTarget[]): EdgeTarget[] => targetsThere(targets, known),
  }
}

const YES_OR_NO = [() => true, () => false] as const

/** The dashboard is reached over the first server alone: it listens where other servers do not reach it. */
function appThere(app: EdgeApp, reach: Reach): EdgeApp {
  const fallback = app.fallback && targetsThere(app.fallback, reach)
  return { ...app, targets: targetsThere(app.targets, reach), ...(fallback && { fallback }) }
}

/** Without those that cannot be reached from there. */
function targetsThere(targets: readonly EdgeTarget[], { addressOf }: Reach): EdgeTarget[] {
  return targets.flatMap(({ ip, port }) => {
    const address = isOverlayAddress(ip) ? ip : addressOf.get(ip)
    return address === undefined ? [] : [{ ip: address, port }]
  })
}

function createDiskElsewhere(ask: AskThere): EdgeDisk {
  const hashOf = (value: string) => createHash('sha256').update(value).digest('hex')
  return {
    holds: async (path, wanted) => (await ask('look', { path }))['hash'] === hashOf(wanted),
    isThere: async (path) => (await ask('look', { path }))['hash'] !== '',
    read: async (path) => (await ask('look', { path }))['text'],
    write: async (path, contents) => void (await ask('write', { path, text: contents })),
    makeDirectories: async () => undefined, // its agent does, with the first file
  }
}
