import { EngineError } from '../../../../engine/api/errors.ts'
import type { ComposePlan, StackService } from '../../../../engine/compose/stack.ts'
import type { Engine } from '../../../../engine/engine.ts'
import {
  appNetworkName,
  composeProjectName,
  LABEL,
  labelsOf,
  projectNetworkName,
  stackContainerName,
  volumeLabels,
} from '../../../../engine/labels.ts'
import type { StackContainerSpec } from '../../../../engine/stack-spec.ts'
import { startCommandWords } from '../../failure/start-command.ts'
import { type Context, DeploymentFailure } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { routedServices } from './plan.ts'
import { archiveFrom } from './plan-files.ts'
import { replicaOf } from './replica.ts'

type Deps = {
  engine: Pick<Engine, 'containers' | 'stackContainers' | 'volumes'>
  containers: Pick<AppContainers, 'ofApp'>
  instance: string
  /** Where the plan of a release and its files are stored. */
  directoryOf: (appId: number, deploymentId: number) => string
}

/**
 * The release that should run. `beside`: routed services whose current containers keep serving. `isData`: whether a live release has used
 * the volume, so that it must not be filled again.
 */
export type Wanted = {
  readonly plan: ComposePlan
  readonly deploymentId: number
  readonly beside: ReadonlySet<string>
  readonly isData: (volume: string) => boolean
  /** Services that run once have completed: an old migration must not run again on newer data. */
  readonly wasLive: boolean
  /** Services that a person stopped: they are neither started nor waited for. */
  readonly stopped: ReadonlySet<string>
}
type Made = Wanted & { service: StackService; release: string; replica: number }

/** How far apart the addresses of replicas are, so that each is used again only after many others. */
const REPLICA_STRIDE = 37

/** One container of a service. `release` is its release label. */
export function stackSpecOf(
  owner: { instance: string; projectId: number; appId: number },
  service: StackService,
  { release, replica = 1 }: { release: string; replica?: number },
): StackContainerSpec {
  return {
    name: stackContainerName(owner.instance, owner.appId, { release, service: service.name, replica }),
    labels: { ...labelsOf({ ...owner, kind: 'compose', service: service.name, replica }), [LABEL.deployment]: release },
    service: replicaOf(service, replica, composeProjectName(owner.instance, owner.appId)),
    network: appNetworkName(owner.instance, owner.appId),
  }
}

/** Starts one container of a service, with its volumes and files. */
export function createStartService({ engine, containers, instance, directoryOf }: Deps) {
  async function startService(context: Context, wanted: Made, signal: AbortSignal): Promise<string> {
    const { app, config } = context
    const { service, plan, release, replica, deploymentId } = wanted
    const one = stackSpecOf({ instance, projectId: app.project_id, appId: app.id }, service, { release, replica })
    const ofVolume = volumeLabels({ instance, projectId: app.project_id, appId: app.id })
    for (const { volume } of one.service.mounts) if (volume.startsWith('berth-')) await engine.volumes.ensure(volume, ofVolume, signal)
    const spec = {
      ...one,
      ...(routedServices(plan).has(service.name) && {
        project: {
          network: projectNetworkName(instance, app.project_id),
          alias: service.name === plan.routedService ? config.slug : null,
          turn: deploymentId + (replica - 1) * REPLICA_STRIDE,
        },
      }),
    }
    const kept = directoryOf(app.id, deploymentId)
    try {
      await fillVolumes(spec, { ...wanted, appId: app.id, kept }, signal)
      const files = service.files === undefined ? {} : { files: await archiveFrom(kept, service.files) }
      return await engine.stackContainers.start({ ...spec, ...files }, signal)
    } catch (cause) {
      throw cause instanceof EngineError ? notStarted(service.name, cause) : cause
    }
  }

  /** Skips volumes that another container has: they are already filled, and may be in use. */
  async function fillVolumes(spec: StackContainerSpec, made: Made & { appId: number; kept: string }, signal: AbortSignal): Promise<void> {
    const wanted = made.service.mounts.filter(({ volume, fill }) => fill && !(fill.once && made.isData(volume)))
    if (wanted.length === 0) return
    const others = await Promise.all(
      (await containers.ofApp(made.appId, signal)).map(async ({ id }) => await engine.containers.inspect(id, signal)),
    )
    const used = new Set(others.flatMap((details) => (details?.volumes ?? []).map(({ name }) => name)))
    for (const { volume, fill } of wanted) {
      if (used.has(volume)) continue
      used.add(volume) // it may be mounted at several paths
      await engine.stackContainers.fill(spec, { volume, archive: await archiveFrom(made.kept, fill?.files ?? []) })
    }
  }

  return startService
}

function notStarted(service: string, cause: EngineError): Error {
  if (/no space left/i.test(cause.message)) return cause // a full disk has its own message
  const words = startCommandWords(cause.message)?.replace('The container', `The service "${service}"`)
  return new DeploymentFailure(words ?? `The service "${service}" could not be started. The container engine refused: ${cause.message}`, {
    cause,
  })
}
