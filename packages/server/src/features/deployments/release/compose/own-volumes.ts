import { posix } from 'node:path'
import type { ComposePlan, StackMount, StackService } from '../../../../engine/compose/stack.ts'
import { anonymousVolume } from '../../../../engine/compose/volume-names.ts'
import type { ContainerDetails } from '../../../../engine/container-state.ts'
import type { Engine } from '../../../../engine/engine.ts'
import { composeProjectName } from '../../../../engine/labels.ts'
import { isSafePath } from '../../../../engine/stack-spec.ts'
import { withoutTrailing } from '../../../../lib/without-trailing.ts'
import type { Context } from '../../run/stage.ts'
import type { AppContainers } from '../app-containers.ts'
import { releaseLabels } from './plan.ts'

type Deps = { engine: Pick<Engine, 'containers' | 'images'>; containers: Pick<AppContainers, 'ofApp'>; instance: string }
type Kept = { readonly service: string; readonly path: string; readonly name: string }

const NAMELESS = /^[0-9a-f]{64}$/

/**
 * Adds the volumes that the images of a plan declare, each named after its service and path, so that the next container of the service
 * finds the data. Volumes that the engine named itself, for containers started by Compose, are kept.
 */
export function createWithOwnVolumes({ engine, containers, instance }: Deps) {
  return async function withOwnVolumes(
    { app, ask, signal }: Context,
    plan: ComposePlan,
    { until = signal, before }: { until?: AbortSignal; before?: ComposePlan | undefined } = {},
  ): Promise<ComposePlan> {
    const prefix = composeProjectName(instance, app.id)
    const nameless = [...(await ask(() => namelessVolumes(app.id, until), until)), ...namelessIn(before)]
    const services = await Promise.all(
      plan.services.map(async (service) => {
        const image = await ask(() => engine.images.inspect(service.image, until), until)
        const mounts = [...service.mounts, ...declared(service, image?.volumePaths ?? [], prefix)]
        return { ...service, mounts: mounts.map((mount) => carriedOn(mount, { service: service.name, prefix, nameless })) }
      }),
    )
    return { ...plan, services }
  }

  async function namelessVolumes(appId: number, signal: AbortSignal): Promise<Kept[]> {
    const found = await Promise.all(
      (await containers.ofApp(appId, signal)).map(async ({ id }) => await engine.containers.inspect(id, signal)),
    )
    return found.flatMap((details) =>
      (details?.volumes ?? [])
        .filter(({ name }) => NAMELESS.test(name))
        .map(({ name, path }) => ({ service: details?.owner.service ?? '', path, name })),
    )
  }
}

/** Those of the previous release, whose containers may already be gone. */
function namelessIn(plan: ComposePlan | undefined): Kept[] {
  return (plan?.services ?? []).flatMap(({ name: service, mounts }) =>
    mounts.filter(({ volume }) => NAMELESS.test(volume)).map(({ volume, path }) => ({ service, path, name: volume })),
  )
}

/** Adds the volumes to those services of a plan whose labels stay the same with them; the others are left as stored. */
export function withSameLabels(kept: ComposePlan, filled: ComposePlan, deploymentId: number): ComposePlan {
  const [before, after] = [releaseLabels(kept, deploymentId), releaseLabels(filled, deploymentId)]
  const services = kept.services.map(
    (service) => filled.services.find(({ name }) => name === service.name && before.get(name) === after.get(name)) ?? service,
  )
  return { ...kept, services }
}

function declared(service: StackService, paths: readonly string[], prefix: string): StackMount[] {
  const taken = new Set([...service.mounts.map(({ path }) => path), ...(service.tmpfs ?? []).map(({ path }) => path)])
  return paths
    .map((path) => withoutTrailing(posix.normalize(path), '/')) // as the engine does
    .filter((path) => isSafePath(path) && !taken.has(path)) // for other paths the engine creates an anonymous volume
    .map((path) => ({ volume: anonymousVolume(prefix, service.name, path), path }))
}

/**
 * Whether a container has an anonymous volume that its successor gets. Where no service can have a volume, nobody would find it again, so it
 * is removed with its container.
 */
export function hasVolumeForSuccessor({ volumes }: Pick<ContainerDetails, 'volumes'>): boolean {
  return volumes.some(({ name, path }) => NAMELESS.test(name) && isSafePath(path))
}

function carriedOn(mount: StackMount, { service, prefix, nameless }: { service: string; prefix: string; nameless: Kept[] }): StackMount {
  if (mount.volume !== anonymousVolume(prefix, service, mount.path)) return mount
  const before = nameless.find((kept) => kept.service === service && kept.path === mount.path)
  return before === undefined ? mount : { ...mount, volume: before.name }
}
