import { isDeepStrictEqual } from 'node:util'
import { startArgv } from '../../../../builders/dockerfile-text.ts'
import { kindOf } from '../../../../domain/app-kinds.ts'
import { type Place, processesOf } from '../../../../domain/processes.ts'
import { openFiles } from '../../../../domain/release-files.ts'
import { placesWanted } from '../../../../domain/wanted-places.ts'
import type { ContainerSpec } from '../../../../engine/container-spec.ts'
import type { ContainerSummary } from '../../../../engine/container-state.ts'
import { containerName, labelsOf, processContainerName, projectNetworkName, volumeLabels } from '../../../../engine/labels.ts'
import { stopToTheEnd } from '../../../../engine/stop-in-time.ts'
import type { SecretBox } from '../../../../lib/secret-box.ts'
import type { Reader } from '../../../../store/database.ts'
import type { Context } from '../../run/stage.ts'
import { refuseLostVolumes } from '../lost-volumes.ts'
import { memoryBytesOf } from '../memory-ceiling.ts'
import type { Launcher } from '../release.ts'
import { findReleaseFiles } from '../store.ts'
import type { ContainerHealthDeps } from './health.ts'
import { RELEASE_SERVICE } from './release-command.ts'
import { createReplicas, stopAndRemove, type WantedContainer } from './replicas.ts'
import { isSingle, mountsOf, refuseSeveralWriters, restartOf } from './storage.ts'

/**
 * How far apart the addresses of the containers of a release are: each is used again only after several other releases, also if there are
 * twenty.
 */
const STRIDE = 37

type Deps = ContainerHealthDeps & { db: Reader; secrets: SecretBox }

/** A process beside the main one has its own command, and no name in the network: nobody calls it. */
function processSpec({ app, deployment, config }: Context, { instance }: Pick<Deps, 'instance'>, place: Place) {
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

function specOf(deps: ContainerHealthDeps, context: Context, { artifact, place }: WantedContainer): ContainerSpec {
  const { instance, findTemplate } = deps
  const { app, deployment, config } = context
  if (artifact.kind !== 'image') throw new Error('a container is started from an image')
  const { keepsData, madeFrom } = kindOf(config)
  const template = madeFrom === 'template' ? findTemplate(config.template) : undefined
  return {
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
    ...limitsAt(context, place),
    restart: restartOf(context),
    ...processSpec(context, deps, place),
  }
}

/** Data and files are on the server that Berth runs on, so what has any stays there. */
async function isForSwarm({ engine }: Pick<Deps, 'engine'>, { volumes, files }: ContainerSpec): Promise<boolean> {
  return volumes.length === 0 && (files ?? []).length === 0 && (await engine.placement.isOpen())
}

async function wholeSpec(deps: Deps, context: Context, wanted: WantedContainer): Promise<ContainerSpec> {
  const files = openFiles(deps.secrets, context.app.id, await findReleaseFiles(deps.db, context.deployment.id))
  const spec = { ...specOf(deps, context, wanted), files }
  return (await isForSwarm(deps, spec)) ? { ...spec, isPlacedBySwarm: true } : spec
}

/** Runs an app as one container, or as several of each of its processes: web apps, services and databases. */
export function createContainerLauncher(deps: Deps): Launcher {
  const { engine, containers, instance, tuning } = deps
  const { start, ...replicas } = createReplicas(deps, {
    prepare,
    refuseLostData: async (context) => await refuseLostVolumes(deps, context, { mounts: mountsOf(deps, context) }),
    makeWay: async (context, signal) => {
      if (isSingle(context)) await stopOthers(context, signal) // a restart of the engine may have started the previous release
    },
    specOf: async (context, wanted) => await wholeSpec(deps, context, wanted),
  })

  async function prepare(context: Context): Promise<void> {
    const { app, effect } = context
    await effect('engine.network', (signal) => engine.networks.ensureProjectNetwork({ instance, projectId: app.project_id }, signal))
    const labels = volumeLabels({ instance, projectId: app.project_id, appId: app.id })
    for (const { volume } of mountsOf(deps, context))
      await effect('engine.volume', (signal) => engine.volumes.ensure(volume, labels, signal))
  }

  async function retireOld(context: Context): Promise<void> {
    if (!isSingle(context)) {
      if (context.replaces !== null) context.say('The current release keeps serving until the new one is healthy')
      return
    }
    await context.effect('engine.stop_old', async (signal) => await stopOthers(context, signal))
  }

  async function stopOthers({ app, deployment }: Context, signal: AbortSignal): Promise<void> {
    const old = await containers.ofOtherDeployments(app.id, deployment.id, signal)
    await Promise.all(old.map(async ({ id }) => await stopToTheEnd(engine, { id, graceSeconds: tuning.stopGraceSeconds, signal })))
  }

  async function removeOld({ app, deployment, effect }: Context): Promise<void> {
    await effect('engine.remove_old', async (signal) => {
      const old = await containers.ofOtherDeployments(app.id, deployment.id, signal)
      await Promise.all(old.map(async ({ id }) => await stopAndRemove(deps, id, signal)))
    })
  }

  /** Only the live release: an earlier deployment that failed while the engine was away may have left containers too. */
  async function liveOf({ app, deployment, replaces }: Context, signal: AbortSignal): Promise<ContainerSummary[]> {
    const others = await containers.ofOtherDeployments(app.id, deployment.id, signal)
    const set = new Map([['', app.replicas], ...processesOf(app).map(({ name, replicas }) => [name, replicas] as const)])
    const isWanted = ({ service, replica }: ContainerSummary['owner']) =>
      service !== RELEASE_SERVICE && replica <= (set.get(service ?? '') ?? Infinity)
    return others.filter(({ owner }) => owner.deploymentId === replaces && isWanted(owner))
  }

  async function undo(context: Context): Promise<void> {
    const { app, deployment } = context
    const ownTime = AbortSignal.timeout(60_000) // the deployment's own signal is already aborted
    const takeBack = async (signal: AbortSignal) => {
      const made = await containers.ofDeployment(app.id, deployment.id, signal)
      const stopped = (await liveOf(context, signal)).filter(({ state }) => state === 'exited')
      if (stopped.length > 0 && app.wanted === 'running') {
        for (const { id } of made) await engine.containers.stop(id, tuning.stopGraceSeconds, signal)
        for (const { id } of stopped) await engine.containers.startAgain(id, signal)
      }
      for (const { id } of made) await engine.containers.remove(id, signal)
    }
    await context.effect('engine.undo', takeBack, ownTime)
  }

  return { refuse: refuseSeveralWriters, retireOld, start, replicas, removeOld, undo }
}
