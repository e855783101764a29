import type { ContainerSpec } from '../../../../engine/container-spec.ts'
import type { Engine } from '../../../../engine/engine.ts'
import type { AllowedServers } from '../../../../engine/swarm/nodes.ts'
import { DeploymentFailure } from '../../run/stage.ts'

/**
 * The servers that may run a container of the app; undefined if it stays on the server that Berth runs on. Data and files are there, so what
 * has any stays there too.
 */
export async function allowedServers(
  { placement }: Pick<Engine, 'placement'>,
  app: { readonly placement: string },
  { volumes, files }: Pick<ContainerSpec, 'volumes' | 'files'>,
): Promise<AllowedServers | undefined> {
  const servers = serversOf(app.placement)
  if (servers === 'this') return undefined
  const isMovable = volumes.length === 0 && (files ?? []).length === 0
  if (isMovable && (await placement.isOpen(servers))) return servers
  if (app.placement === '') return undefined
  const words = `The placement of this app is ${placementWords(app.placement)}, but`
  if (!isMovable)
    throw new DeploymentFailure(`${words} its volumes and files are on the server that Berth runs on. Allow any server, or remove them.`)
  const why = placement.whyNot()
  if (why !== '') throw new DeploymentFailure(`${words} no app can run on other servers. ${why}`)
  throw new DeploymentFailure(
    `${words} no such server takes apps now. See Servers: it must be ready, active, and have passed its check. Or change the placement in the settings of the app.`,
  )
}

/** The setting of an app, in the words of the contract. `this` is the server that Berth runs on. */
function serversOf(placement: string): AllowedServers | 'this' {
  if (placement === 'this') return 'this'
  const [kind, name = ''] = placement.split(':')
  return kind === 'server' ? { serverId: name } : kind === 'label' ? { label: name } : {}
}

/** For sentences. */
function placementWords(placement: string): string {
  const servers = serversOf(placement)
  if (servers === 'this') return 'the server that Berth runs on'
  if (servers.serverId !== undefined) return `the server ${servers.serverId}`
  return servers.label === undefined ? 'any server' : `servers with the label ${servers.label}`
}
