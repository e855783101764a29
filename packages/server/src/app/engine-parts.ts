import { join } from 'node:path'
import { findProject } from '../domain/rows.ts'
import { createEngine } from '../engine/engine.ts'
import { createEngineWatch } from '../features/health/engine-watch.ts'
import { createImageAuthority } from '../features/servers/image-authority.ts'
import { createGit } from '../git/git.ts'
import { createLfs } from '../git/lfs.ts'
import { createPinnedRequest } from '../git/pinned-request.ts'
import { createSourcePolicy } from '../git/source-policy.ts'
import { readAuthorities } from '../git-hosts/authorities.ts'
import { createTlsToStrangers } from '../lib/tls-to-strangers.ts'
import { installDebianPackage } from '../provision/debian-packages.ts'
import { createWhyNoSsh } from '../provision/ensure-ssh.ts'
import { createFirewalls } from '../provision/firewalls.ts'
import { openOverlayWay, whyNoOverlayWay } from '../provision/overlay-way.ts'
import { createProvisioning } from '../provision/provisioning.ts'
import { isSwarmOn } from '../store/swarm-fact.ts'
import type { Foundation } from './foundation.ts'

/** The engine, its provisioning and firewalls, and git: everything that runs other programs. */
export function createEngineParts(base: Foundation, isLeading: () => boolean) {
  const { config, db, instance, log, now, fence, reservedPorts } = base
  const { provision: mode, privateSources, registry } = config
  const edgePorts = [config.edge.httpPort, config.edge.httpsPort]
  const provisioning = createProvisioning({ log, mode, engine: config.engine, dataDir: config.dataDir })
  const firewalls = createFirewalls({
    log,
    mode,
    engine: config.engine,
    edgePorts,
    privateSources,
    registry,
    imagePort: { number: config.imagePort, isUsed: async () => registry === undefined && (await isSwarmOn(db)) },
  })
  const identity = createImageAuthority(base)
  const ownerOf = async (projectId: number) => (await findProject(db, projectId))?.owner_id
  const otherServers = {
    registry,
    imageServer: {
      instance,
      directory: join(config.dataDir, 'images'),
      port: config.imagePort,
      floorBytes: config.tuning.diskFloorBytes,
      identity,
      mayListen: isLeading,
      ownerOf,
    },
    agents: { authority: async () => (await identity()).authority, ownerOf },
    isSwarm: async () => await isSwarmOn(db),
    whyNot: () => whyNoOverlayWay({ mode, engine: config.engine }),
    openWay: openOverlayWay,
  }
  const engine = createEngine({
    address: config.engine,
    log,
    now,
    ...(fence && { beforeChange: fence.check }),
    pullWindowMs: config.tuning.pullWindowMs,
    otherServers,
  })
  const engineWatch = createEngineWatch({ engine, provisioning, log })
  const policy = createSourcePolicy({ privateHosts: privateSources, ownPorts: reservedPorts })
  const scratch = join(config.workDir, 'git')
  const authorities = readAuthorities(config.caFile, scratch)
  const whyNoSsh = createWhyNoSsh({ path: config.path, mode, log })
  const git = createGit({ policy, scratch, path: config.path, log, caFile: authorities.caFile, whyNoSsh, ...config.gitRunsAs })
  const tls = createTlsToStrangers({ directory: config.workDir, ca: authorities.ca })
  const fetchLfs = createLfs({ request: createPinnedRequest({ policy, tls }) })
  const ensureProgram = async () => {
    const installed = await installDebianPackage(['haproxy'], { log })
    if (!installed.ok) throw new Error(`HAProxy could not be installed: ${installed.reason}`)
  }
  const host = engine.edgeHost({ instance, node: config.nodeName, ensureProgram })
  const edgeHost = mode === 'off' ? undefined : host
  return { stopEdge: host.removeEdgeOf, provisioning, firewalls, engine, engineWatch, policy, git, tls, fetchLfs, authorities, edgeHost }
}

export type EngineParts = ReturnType<typeof createEngineParts>
