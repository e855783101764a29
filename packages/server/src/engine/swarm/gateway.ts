import { createSemaphore } from '../../lib/semaphore.ts'
import { isConflict, isNotFound } from '../api/errors.ts'
import { count, field, record, text, texts } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import { labelsOf } from '../labels.ts'
import type { createNetworks } from '../networks.ts'

/** How this server reaches overlay networks: the process that has the network of the gateway, and the addresses of the gateway and of this server. */
export type Way = { readonly containerId: string; readonly pid: number; readonly gateway: string; readonly host: string }

type Deps = {
  transport: Transport
  networks: Pick<ReturnType<typeof createNetworks>, 'ensure'>
  imageOf: (instance: string) => Promise<string>
  /** Leads what this server sends to overlay networks to the gateway, and lets nothing else through it. */
  openWay: (way: Way) => Promise<void>
}

const MEMORY_BYTES = 128 * 1024 * 1024
const MOST_PROCESSES = 32
/** The container is only there for its network. */
const IDLE = ['node', '-e', 'setInterval(() => {}, 2 ** 30)']

/**
 * Overlay networks exist in containers alone, and the edge and Berth are outside of them. The gateway is a container on the first server that
 * is in the overlay network of each project; the kernel forwards through it what comes from this server, and nothing else.
 */
export function createGateway({ transport, networks, imageOf, openWay }: Deps) {
  const oneAtATime = createSemaphore(1)
  const nameOf = (instance: string) => `berth-${instance}-gateway`

  async function look(name: string): Promise<unknown> {
    try {
      return await transport.json({ method: 'GET', path: `/containers/${name}/json` })
    } catch (cause) {
      if (isNotFound(cause)) return undefined
      throw cause
    }
  }

  async function create(instance: string): Promise<void> {
    const name = nameOf(instance)
    await transport.json({ method: 'DELETE', path: `/containers/${name}`, query: { force: true } }).catch((cause: unknown) => {
      if (!isNotFound(cause)) throw cause
    })
    const body = requestFor(name, await imageOf(instance), labelsOf({ instance, kind: 'agent' }))
    await transport.json({ method: 'POST', path: '/containers/create', query: { name }, body })
    await transport.json({ method: 'POST', path: `/containers/${name}/start` })
  }

  async function ensureNow(instance: string): Promise<unknown> {
    const name = nameOf(instance)
    const { subnets } = await networks.ensure({ name, owner: { instance, kind: 'network' } })
    let found = await look(name)
    if (field(found, 'State', 'Running') !== true) {
      await create(instance)
      found = await look(name)
    }
    const gateway = text(field(found, 'NetworkSettings', 'Networks', name, 'IPAddress'))
    const [base = ''] = (subnets[0] ?? '').split('/')
    const host = base.replace(/\.\d+$/, '.1') // the engine gives the first address to the bridge
    await openWay({ containerId: text(field(found, 'Id')), pid: count(field(found, 'State', 'Pid')), gateway, host })
    return found
  }

  /** Connects the gateway to these networks. It leaves a network when that is removed. */
  async function join(instance: string, overlays: readonly { id: string; name: string }[]): Promise<void> {
    await oneAtATime.run(async () => {
      const found = await ensureNow(instance)
      const joined = new Set(Object.keys(record(field(found, 'NetworkSettings', 'Networks'))))
      for (const { id, name } of overlays)
        if (!joined.has(name)) await connect(transport, { network: id, container: nameOf(instance), aliases: [] })
    })
  }

  async function leave(instance: string, { id }: { id: string }): Promise<void> {
    await oneAtATime.run(async () => await disconnect(transport, { network: id, container: nameOf(instance) }))
  }

  /** Without other servers there is nothing for it to do. Its route goes with its network. */
  async function remove(instance: string): Promise<void> {
    await oneAtATime.run(async () => {
      const name = nameOf(instance)
      const isOurs = texts(field(await look(name), 'Config', 'Labels'))['berth.instance'] === instance
      if (isOurs) await transport.json({ method: 'DELETE', path: `/containers/${name}`, query: { force: true } })
      await transport.json({ method: 'DELETE', path: `/networks/${name}` }).catch((cause: unknown) => {
        if (!isNotFound(cause)) throw cause
      })
    })
  }

  return { join, leave, remove }
}

export type Gateway = ReturnType<typeof createGateway>

/** Does nothing if it is not connected. */
export async function disconnect(transport: Transport, { network, container }: { network: string; container: string }): Promise<void> {
  const body = { Container: container, Force: true }
  await transport.json({ method: 'POST', path: `/networks/${encodeURIComponent(network)}/disconnect`, body }).catch((cause: unknown) => {
    if (!isNotFound(cause)) throw cause
  })
}

/** Does nothing if it is connected already. */
export async function connect(
  transport: Transport,
  { network, container, aliases }: { network: string; container: string; aliases: readonly string[] },
): Promise<void> {
  const body = { Container: container, EndpointConfig: { Aliases: [...aliases] } }
  try {
    await transport.json({ method: 'POST', path: `/networks/${encodeURIComponent(network)}/connect`, body })
  } catch (cause) {
    if (isConflict(cause) || isNotFound(cause)) return // removed since it was listed
    if (cause instanceof Error && cause.message.includes('already exists in network')) return
    throw cause
  }
}

function requestFor(name: string, image: string, labels: Record<string, string>): Record<string, unknown> {
  return {
    Image: image,
    Cmd: IDLE,
    User: '65534:65534',
    Labels: labels,
    HostConfig: {
      NetworkMode: name,
      Sysctls: { 'net.ipv4.ip_forward': '1' },
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      PidsLimit: MOST_PROCESSES,
      RestartPolicy: { Name: 'unless-stopped' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  }
}
