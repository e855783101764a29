import { placementWords, serversOf } from '../../../../domain/placement.ts'
import type { ContainerSpec } from '../../../../engine/container-spec.ts'
import type { Engine } from '../../../../engine/engine.ts'
import type { AllowedServers } from '../../../../engine/swarm/nodes.ts'
import { MOST_SECRET_BYTES, tooLargeForSwarm } from '../../../../engine/swarm/service-files.ts'
import { DeploymentFailure } from '../../run/stage.ts'

/** The servers that may run a container of the app without data; undefined if it stays on the server that Berth runs on. */
export async function allowedServers(
  { placement }: Pick<Engine, 'placement'>,
  app: { readonly placement: string },
  { files = [] }: Pick<ContainerSpec, 'files'>,
): Promise<AllowedServers | undefined> {
  const servers = serversOf(app.placement)
  if (servers === 'this') return undefined
  const file = tooLargeForSwarm(files)
  if (file === undefined && (await placement.isOpen(servers))) return servers
  if (app.placement === '') return undefined
  const words = `The placement of this app is ${placementWords(app.placement)}, but`
  if (file !== undefined) throw new DeploymentFailure(`${words} ${whyNotFile(file)} Allow any server, or change the file.`)
  const why = placement.whyNot()
  if (why !== '') throw new DeploymentFailure(`${words} no app can run on other servers. ${why}`)
  throw new DeploymentFailure(
    `${words} no such server takes apps now. See Servers: it must be ready, active, and have passed its check. Or change the placement in the settings of the app.`,
  )
}

export function whyNotFile({ path }: { readonly path: string }): string {
  return `other servers cannot get its file ${path}: files there have from 1 to ${MOST_SECRET_BYTES} bytes.`
}
