import { isDeepStrictEqual } from 'node:util'
import { startArgv } from '../../../../builders/dockerfile-text.ts'
import { HERE } from '../../../../domain/app-data.ts'
import { kindOf } from '../../../../domain/app-kinds.ts'
import { holdsDataAlone } from '../../../../domain/app-volumes.ts'
import type { Artifact } from '../../../../domain/artifact.ts'
import { type Place, processesOf } from '../../../../domain/processes.ts'
import { openFiles } from '../../../../domain/release-files.ts'
import { placesWanted } from '../../../../domain/wanted-places.ts'
import type { ContainerSpec } from '../../../../engine/container-spec.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { appVolumeName, containerName, labelsOf, processContainerName, projectNetworkName, volumeName } from '../../../../engine/labels.ts'
import type { AllowedServers } from '../../../../engine/swarm/nodes.ts'
import { tooLargeForSwarm } from '../../../../engine/swarm/service-files.ts'
import type { SecretBox } from '../../../../lib/secret-box.ts'
import type { Reader } from '../../../../store/database.ts'
import type { DatabaseTemplate } from '../../../templates/templates.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import { memoryBytesOf } from '../memory-ceiling.ts'
import { findReleaseFiles } from '../store.ts'
import type { DataPlaces } from './data-place.ts'
import { allowedServers, whyNotFile } from './placement.ts'

export type SpecDeps = {
  db: Reader
  secrets: SecretBox
  engine: Pick<Engine, 'placement'>
  places: Pick<DataPlaces, 'of'>
  instance: string
  findTemplate: (name: string) => DatabaseTemplate | undefined
}

/** `isFirst`: the first one of a release that is not live yet. */
export type WantedContainer = { readonly artifact: Artifact; readonly place: Place; readonly isFirst?: boolean }

/**
 * How far apart the addresses of the containers of a release are: each is used again only after several other releases, also if there are
 * twenty.
 */
const STRIDE = 37

/** What a container of a release is started with. */
export async function specOf(deps: SpecDeps, context: Context, { artifact, place }: WantedContainer): Promise<ContainerSpec> {
  const { instance, findTemplate } = deps
  const { app, deployment, config } = context
  if (artifact.kind !== 'image') throw new Error('a container is started from an image')
  const { keepsData, madeFrom } = kindOf(config)
  const template = madeFrom === 'template' ? findTemplate(config.template) : undefined
  const spec = {
    image: artifact.tag,
    labels: labelsOf({
      instance,
      kind: keepsData ? 'database' : 'app',
      projectId: app.project_id,
      appId: app.id,
      deploymentId: deployment.id,
      service: place.process, // also if it is empty: a label of the image must not say otherwise
      replica: place.replica,
    }),
    env: config.env,
    ...(template?.command && { command: template.command }),
    network: projectNetworkName(instance, app.project_id),
    turn: deployment.id + placesWanted(context).findIndex((each) => isDeepStrictEqual(each, place)) * STRIDE,
    volumes: mountsOf(deps, context),
    isAlone: holdsDataAlone(app, config),
    files: openFiles(deps.secrets, app.id, await findReleaseFiles(deps.db, deployment.id)),
    ...limitsAt(context, place),
    restart: restartOf(context),
    ...processSpec(context, deps, place),
  }
  const servers = await serversFor(deps, context, spec)
  return servers === undefined ? spec : { ...spec, servers }
}

/** What has data runs where it is, and everything else where the app may. */
async function serversFor({ engine, places }: SpecDeps, context: Context, spec: ContainerSpec): Promise<AllowedServers | undefined> {
  const place = await places.of(context, spec.volumes)
  if (place === undefined) return await allowedServers(engine, context.app, spec)
  if (place.server === HERE) return undefined
  const file = tooLargeForSwarm(spec.files ?? [])
  if (file !== undefined)
    throw new DeploymentFailure(`The data of this app is on the server ${place.server_name}, ${whyNotFile(file)} Change the file.`)
  return { serverId: place.server }
}

/** A process beside the main one has its own command, and no name in the network: nobody calls it. */
function processSpec({ app, deployment, config }: Context, { instance }: Pick<SpecDeps, 'instance'>, place: Place) {
  const first = containerName(instance, app.id, deployment.id, place.process === '' ? place.replica : 1)
  if (place.process === '') return { name: first, aliases: [config.slug] }
  const command = processesOf(deployment).find(({ name }) => name === place.process)?.command
  if (command === undefined) throw new Error(`the release has no process ${place.process}`)
  return { name: processContainerName(first, place), aliases: [], entrypoint: startArgv(command), command: [] }
}

/** A process without limits of its own has those of the app. */
function limitsAt({ config, deployment }: Context, place: Place): Pick<ContainerSpec, 'memoryBytes' | 'cpus'> {
  const own = place.process === '' ? undefined : processesOf(deployment).find(({ name }) => name === place.process)
  const cpus = own?.cpuLimit ?? config.cpus
  return { memoryBytes: memoryBytesOf({ memoryMb: own?.memoryLimit ?? config.memoryMb }), ...(cpus !== null && { cpus }) }
}

/** The volumes that a release has: that of its template, or those of the app's settings at that time. */
export function mountsOf(
  { instance, findTemplate }: Pick<SpecDeps, 'instance' | 'findTemplate'>,
  { app, config }: Pick<Context, 'app' | 'config'>,
): ContainerSpec['volumes'] {
  const template = kindOf(config).madeFrom === 'template' ? findTemplate(config.template) : undefined
  if (template) return [{ volume: volumeName(instance, app.id), path: template.dataPath }]
  return (config.volumes ?? []).map(({ name, path }) => ({ volume: appVolumeName(instance, app.id, name), path }))
}

/** Two releases at once would damage the data, or the user chose one at a time. */
export function isSingle({ app, config }: Pick<Context, 'app' | 'config'>): boolean {
  return holdsDataAlone(app, config) || config.strategy === 'recreate'
}

/**
 * An engine that restarts starts every container with the policy `always`, also one that was stopped to make way for the next release.
 * `unless-stopped` is the same but for that.
 */
function restartOf(context: Pick<Context, 'app' | 'config'>): ContainerSpec['restart'] {
  const { restart } = context.config
  return restart === 'always' && isSingle(context) ? 'unless-stopped' : restart
}
