import { Readable } from 'node:stream'
import { freeAddress } from './addresses.ts'
import { EngineError, isNotFound } from './api/errors.ts'
import { field, filters, items, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { archiveOf } from './build/tar.ts'
import { createContainerContents } from './container-contents.ts'
import { createContainerReads, pathOf } from './container-reads.ts'
import { assertAllowed, type ContainerSpec, containerRequest } from './container-spec.ts'
import { createVolumeContents } from './volume-contents.ts'

export const CONTAINER_NAME = /^berth-[a-z0-9]{1,24}-app-[1-9]\d*-[a-z0-9-]{1,60}$/
const ANSWER_AFTER_GRACE_MS = 60_000
export const MOST_TRIES = 5

/** Starts, stops and removes containers. Everything here may run twice: it is no error if it is already done. */
export function createContainers(deps: { transport: Transport; now: () => Date }) {
  const { transport } = deps
  const { put } = createContainerContents(deps)
  const volumeContents = createVolumeContents({ transport, remove })

  /** Creates and starts. A container that could be created but not started is removed again, so that nothing is left behind. */
  async function start(spec: ContainerSpec, signal?: AbortSignal): Promise<string> {
    if (!CONTAINER_NAME.test(spec.name)) throw new Error(`not a container name of ours: ${spec.name}`)
    for (let tries = 1; ; tries += 1) {
      try {
        const address = spec.turn === undefined ? undefined : await addressIn(transport, { network: spec.network, turn: spec.turn }, signal)
        return await startOnce(containerRequest(spec, address), spec, signal)
      } catch (cause) {
        if (!says(cause, 'address already in use') || tries === MOST_TRIES) throw cause
      }
    }
  }

  async function startOnce(body: Record<string, unknown>, spec: ContainerSpec, signal: AbortSignal | undefined): Promise<string> {
    assertAllowed(body)
    const { name, volumes, files = [] } = spec
    await volumeContents.fillEmpty(spec, volumes, { giveToAccount: true })
    const created = await transport.json({ method: 'POST', path: '/containers/create', query: { name }, body, signal })
    const id = text(field(created, 'Id'))
    try {
      const archive = archiveOf(files.map((file) => ({ ...file, path: file.path.slice(1) })))
      if (files.length > 0) await put(id, '/', Readable.from([archive]), signal)
      await startAgain(id, signal)
    } catch (cause) {
      if (cause instanceof EngineError) await remove(id)
      throw cause
    }
    return id
  }

  async function startAgain(id: string, signal?: AbortSignal): Promise<void> {
    await transport.json({ method: 'POST', path: `${pathOf(id)}/start`, signal })
  }

  async function stop(id: string, graceSeconds: number, signal?: AbortSignal): Promise<void> {
    const timeoutMs = graceSeconds * 1000 + ANSWER_AFTER_GRACE_MS
    await unlessGone(transport.json({ method: 'POST', path: `${pathOf(id)}/stop`, query: { t: graceSeconds }, signal, timeoutMs }))
  }

  async function restart(id: string, graceSeconds: number, signal?: AbortSignal): Promise<void> {
    const timeoutMs = graceSeconds * 1000 + ANSWER_AFTER_GRACE_MS
    await transport.json({ method: 'POST', path: `${pathOf(id)}/restart`, query: { t: graceSeconds }, signal, timeoutMs })
  }

  /** Also removes its anonymous volumes unless told otherwise; named ones stay. Retries if the container exits while it is being killed. */
  async function remove(id: string, signal?: AbortSignal, options: { keepVolumes?: boolean } = {}): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await transport.json({ method: 'DELETE', path: pathOf(id), query: { force: true, v: options.keepVolumes !== true }, signal })
        return
      } catch (cause) {
        if (isNotFound(cause) || says(cause, 'already in progress')) return
        if (!says(cause, 'is not running') || tries === MOST_TRIES) throw cause
      }
    }
  }

  return { ...createContainerReads(deps), start, startAgain, stop, restart, remove }
}

export type Containers = ReturnType<typeof createContainers>

/** An address that no container in the network has. Stopped containers count too, because they need their address when they start again. */
export async function addressIn(
  transport: Transport,
  { network, turn }: { network: string; turn: number },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const found = await transport.json({ method: 'GET', path: `/networks/${encodeURIComponent(network)}`, signal })
  const subnet = text(field(items(field(found, 'IPAM', 'Config'))[0], 'Subnet'))
  const query = { all: true, filters: filters({ network: [network] }) }
  const endpointOf = (container: unknown) => field(container, 'NetworkSettings', 'Networks', network)
  const endpoints = await transport.list({ method: 'GET', path: '/containers/json', query, signal }, endpointOf)
  const taken = new Set(
    endpoints.flatMap((endpoint) => [text(field(endpoint, 'IPAddress')), text(field(endpoint, 'IPAMConfig', 'IPv4Address'))]),
  )
  return freeAddress(subnet, taken, turn)
}

export function says(cause: unknown, words: string): boolean {
  return cause instanceof EngineError && cause.message.toLowerCase().includes(words)
}

async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (cause) {
    if (!isNotFound(cause)) throw cause
  }
}
