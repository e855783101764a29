import { Readable } from 'node:stream'
import { EngineError } from './api/errors.ts'
import { field, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { createContainerContents } from './container-contents.ts'
import { addressIn, CONTAINER_NAME, type Containers, MOST_TRIES, says } from './containers.ts'
import { assertEndpointAllowed, assertStackAllowed, projectEndpoint, type StackContainerSpec, stackRequest } from './stack-spec.ts'
import { createVolumeContents } from './volume-contents.ts'

/** Containers of compose apps, which have more to say and may be in two networks. */
export function createStackContainers({ transport, containers }: { transport: Transport; containers: Containers }) {
  const { put } = createContainerContents({ transport })
  const volumes = createVolumeContents({ transport, remove: containers.remove })

  /**
   * Creates, connects and starts. The engine takes one network when it creates, so that a container which was not started yet may not be
   * in all of its networks. One that cannot be started is removed again.
   */
  async function start(spec: StackContainerSpec, signal?: AbortSignal): Promise<string> {
    if (!CONTAINER_NAME.test(spec.name)) throw new Error(`not a container name of ours: ${spec.name}`)
    assertStackAllowed(stackRequest(spec))
    await volumes.fillEmpty(ofSpec(spec), spec.service.mounts, { giveToAccount: false })
    for (let tries = 1; ; tries += 1) {
      const id = await create(spec, signal)
      try {
        await connect(id, spec.project, signal)
        if (spec.files !== undefined) await put(id, '/', Readable.from([spec.files]), signal)
        await containers.startAgain(id, signal)
        return id
      } catch (cause) {
        if (cause instanceof EngineError) await containers.remove(id)
        if (!says(cause, 'address already in use') || spec.project === undefined || tries === MOST_TRIES) throw cause
      }
    }
  }

  async function create(spec: StackContainerSpec, signal: AbortSignal | undefined): Promise<string> {
    const body = stackRequest(spec)
    assertStackAllowed(body)
    const query = { name: spec.name, platform: spec.service.platform }
    return text(field(await transport.json({ method: 'POST', path: '/containers/create', query, body, signal }), 'Id'))
  }

  /** With an address that is not given to another app as soon as this container dies. */
  async function connect(id: string, project: StackContainerSpec['project'], signal: AbortSignal | undefined): Promise<void> {
    if (project === undefined) return
    const endpoint = projectEndpoint(project.alias, await addressIn(transport, project, signal))
    assertEndpointAllowed(endpoint)
    const path = `/networks/${encodeURIComponent(project.network)}/connect`
    await transport.json({ method: 'POST', path, body: { Container: id, EndpointConfig: endpoint }, signal })
  }

  /** Writes files into a volume. */
  async function fill(spec: StackContainerSpec, wanted: { volume: string; archive: Buffer }): Promise<void> {
    assertStackAllowed(stackRequest(spec))
    await volumes.write(ofSpec(spec), wanted)
  }

  return { start, fill }
}

function ofSpec({ name, labels, network, service: { image, platform } }: StackContainerSpec) {
  return { name, labels, network, image, platform }
}
