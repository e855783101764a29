import { Readable } from 'node:stream'
import type { EdgeContainerSpec, EdgeHost, EdgeImageSource } from '../edge/host/container.ts'
import { isConflict, isNotFound } from './api/errors.ts'
import { field, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import type { createBuilder } from './build/build.ts'
import type { createContainerLogs } from './container-logs.ts'
import type { createContainers } from './containers.ts'
import type { createImages } from './images.ts'
import { FINGERPRINT_LABEL, labelsOf } from './labels.ts'

type Deps = {
  transport: Transport
  containers: ReturnType<typeof createContainers>
  images: ReturnType<typeof createImages>
  build: ReturnType<typeof createBuilder>
  logs: ReturnType<typeof createContainerLogs>
  instance: string
  /** Of several on one engine each has an edge. */
  node: string | undefined
  /** Makes sure that the machine has an HAProxy to build the image from. */
  ensureProgram: () => Promise<void>
  log: { info(fields: object, message: string): void }
}

const PULL_MS = 60_000
const BUILD_MS = 120_000

/**
 * The one container that is not an app's: HAProxy with host networking. It has its own request here, because it needs what every app is
 * refused (host network, mounts of our files). Nothing in it comes from a user.
 */
export function createEdgeHost(deps: Deps): EdgeHost & { removeEdgeOf: (node: string) => Promise<void> } {
  const { transport, containers, instance, node } = deps
  const nameOf = (of: string | undefined) => `berth-${instance}-edge${of === undefined ? '' : `-${of}`}`
  const name = nameOf(node)
  const labels = labelsOf({ instance, kind: 'edge' })

  async function inspectEdge(fingerprint: string): Promise<'absent' | 'running' | 'other' | 'stopped'> {
    const details = await containers.inspect(name)
    if (!details) return 'absent'
    if (details.state !== 'running') return 'stopped'
    return details.fingerprint === fingerprint ? 'running' : 'other'
  }

  async function runEdge(spec: EdgeContainerSpec): Promise<void> {
    const created = await transport.json({ method: 'POST', path: '/containers/create', query: { name }, body: requestFor(spec, labels) })
    await transport.json({ method: 'POST', path: `/containers/${text(field(created, 'Id'))}/start` })
  }

  async function reloadEdge(): Promise<void> {
    await transport.json({ method: 'POST', path: `/containers/${name}/kill`, query: { signal: 'SIGUSR2' } })
  }

  /** A Berth without a name and nodes are never there at once, so the edges of the one replace those of the other. */
  async function removeEdge(): Promise<void> {
    const others = node === undefined ? (await containers.list({ labels })).map((each) => each.name) : [nameOf(undefined)]
    for (const each of new Set([name, ...others])) await remove(each)
  }

  async function remove(which: string): Promise<void> {
    const details = await containers.inspect(which)
    if (!details || details.owner.instance !== instance) return
    try {
      await containers.stop(details.id, 5)
      await containers.remove(details.id)
    } catch (cause) {
      if (!isNotFound(cause) && !isConflict(cause)) throw cause
    }
  }

  /** With other names: they may listen on the same ports. */
  async function hasSiblings(): Promise<boolean> {
    if (node === undefined) return false
    const all = await containers.list({ labels })
    return all.some((each) => each.name !== name && each.state === 'running')
  }

  async function edgeOutput(): Promise<string> {
    const details = await containers.inspect(name)
    if (!details) return ''
    const lines: string[] = []
    for await (const { line } of deps.logs(details, { tail: 20, signal: AbortSignal.timeout(5000) })) lines.push(line)
    return lines.join('\n')
  }

  const removeEdgeOf = async (of: string) => await remove(nameOf(of))
  return {
    inspectEdge,
    ensureImage: createEnsureImage(deps, labels),
    runEdge,
    reloadEdge,
    removeEdge,
    removeEdgeOf,
    hasSiblings,
    edgeOutput,
  }
}

/** Pulled, or built from this machine's own HAProxy if it cannot be pulled. */
function createEnsureImage(
  deps: Pick<Deps, 'images' | 'build' | 'ensureProgram' | 'log'>,
  labels: Record<string, string>,
): EdgeHost['ensureImage'] {
  const { images } = deps
  return async (source: EdgeImageSource) => {
    for (const known of [source.pull, source.build]) if (await images.exists(known)) return known
    try {
      await images.pull(source.pull, { signal: AbortSignal.timeout(PULL_MS), onLine: () => undefined })
      return source.pull
    } catch {
      deps.log.info({ image: source.pull }, 'the image of the proxy cannot be pulled; building it from the HAProxy of this machine')
    }
    await deps.ensureProgram()
    const contextTar = Readable.from([await source.context()])
    await deps.build({
      contextTar,
      dockerfile: 'Dockerfile',
      tag: source.build,
      labels,
      onLine: () => undefined,
      signal: AbortSignal.timeout(BUILD_MS),
    })
    return source.build
  }
}

function requestFor(spec: EdgeContainerSpec, labels: Record<string, string>): Record<string, unknown> {
  return {
    Image: spec.image,
    Cmd: [...spec.command],
    User: spec.user,
    Labels: { ...labels, [FINGERPRINT_LABEL]: spec.fingerprint },
    StopSignal: spec.stopSignal,
    StopTimeout: spec.stopTimeoutS,
    HostConfig: {
      NetworkMode: spec.network,
      ReadonlyRootfs: spec.readOnlyRoot,
      Mounts: spec.mounts.map(({ source, target, readOnly }) => ({ Type: 'bind', Source: source, Target: target, ReadOnly: readOnly })),
      CapDrop: [...spec.capDrop],
      CapAdd: [...spec.capAdd],
      SecurityOpt: spec.noNewPrivileges ? ['no-new-privileges'] : [],
      RestartPolicy: { Name: spec.restart },
      Ulimits: [{ Name: 'nofile', Soft: spec.openFiles, Hard: spec.openFiles }],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
    },
  }
}
