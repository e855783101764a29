import { randomBytes } from 'node:crypto'
import { isNotFound } from '../api/errors.ts'
import { field, filters, items, labelFilter, text } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import { FINGERPRINT_LABEL, labelsOf } from '../labels.ts'
import { type AgentPlan, agentRequest } from './agent-spec.ts'
import { edgeAgentRequest } from './edge-agent-spec.ts'
import { taskOf } from './service-state.ts'
import { answered } from './swarm.ts'

type Network = { readonly id: string; readonly name: string }
export type Agent = {
  readonly id: string
  readonly name: string
  readonly fingerprint: string
  readonly image: string
  readonly secretId: string
}
export type Secret = { readonly id: string; readonly createdAt: string }

const REQUESTS = { agent: agentRequest, 'edge-agent': edgeAgentRequest } as const

type AgentKind = keyof typeof REQUESTS

/** What agents are made of in the Swarm. */
export function createAgentObjects({ transport, kind = 'agent' }: { transport: Transport; kind?: AgentKind }) {
  const ownerOf = (instance: string) => labelsOf({ instance, kind })
  const call = async (...args: Parameters<Transport['json']>) => await answered(transport.json(...args))
  const list = async (path: string, instance: string, more: Record<string, string[]> = {}) =>
    items(await call({ method: 'GET', path, query: { filters: filters({ label: labelFilter(ownerOf(instance)), ...more }) } }))
  const remove = async (path: string) => {
    try {
      await call({ method: 'DELETE', path })
    } catch (cause) {
      if (!isNotFound(cause)) throw cause
    }
  }

  const { networks, createNetwork } = createNetworksOfAgents({ call, list, ownerOf, kind })

  async function agents(instance: string): Promise<Agent[]> {
    return (await list('/services', instance)).map((service) => {
      const container = field(service, 'Spec', 'TaskTemplate', 'ContainerSpec')
      return {
        id: text(field(service, 'ID')),
        name: text(field(service, 'Spec', 'Name')),
        fingerprint: text(field(service, 'Spec', 'Labels', FINGERPRINT_LABEL)),
        image: text(field(container, 'Image')),
        secretId: text(field(items(field(container, 'Secrets'))[0], 'SecretID')),
      }
    })
  }

  async function secrets(instance: string): Promise<Secret[]> {
    const found = await list('/secrets', instance)
    return found.map((secret) => ({ id: text(field(secret, 'ID')), createdAt: text(field(secret, 'CreatedAt')) }))
  }

  /** Those of agents that were replaced or removed, and those that a crash left. */
  async function removeUnusedSecrets(instance: string): Promise<void> {
    const used = new Set((await agents(instance)).map(({ secretId }) => secretId))
    for (const { id } of await secrets(instance)) if (!used.has(id)) await remove(`/secrets/${id}`)
  }

  async function wasRejected(id: string): Promise<boolean> {
    const query = { filters: filters({ service: [id] }) }
    const tasks = items(await call({ method: 'GET', path: '/tasks', query })).map(taskOf)
    return tasks.some(({ state }) => state === 'rejected') && !tasks.some(({ state }) => state === 'running')
  }

  async function create(plan: AgentPlan, image: string, contents: string): Promise<void> {
    const name = `berth-${plan.instance}-${kind}-${randomBytes(8).toString('hex')}`
    const data = { Name: name, Labels: ownerOf(plan.instance), Data: Buffer.from(contents).toString('base64') }
    const id = text(field(await call({ method: 'POST', path: '/secrets/create', body: data }), 'ID'))
    await call({ method: 'POST', path: '/services/create', body: REQUESTS[kind](plan, { image, secret: { id, name } }) })
  }

  return {
    networks,
    createNetwork,
    agents,
    secrets,
    wasRejected,
    create,
    removeAgent: async (id: string) => await remove(`/services/${id}`),
    removeUnusedSecrets,
    removeNetwork: async (id: string) => await remove(`/networks/${encodeURIComponent(id)}`),
  }
}

type Calls = {
  call: Transport['json']
  list: (path: string, instance: string, more?: Record<string, string[]>) => Promise<readonly unknown[]>
  ownerOf: (instance: string) => Record<string, string>
  kind: AgentKind
}

function createNetworksOfAgents({ call, list, ownerOf, kind }: Calls) {
  async function networks(instance: string): Promise<Network[]> {
    const found = await list('/networks', instance, { driver: ['overlay'] })
    return found.map((network) => ({ id: text(field(network, 'Id')), name: text(field(network, 'Name')) }))
  }

  /**
   * Nothing in the network of agents has a way to anywhere else: not to its own server either. The one of edges is what their ports are
   * published from, which an internal one cannot be.
   */
  async function createNetwork(instance: string): Promise<Network> {
    const name = `berth-${instance}-${kind === 'agent' ? 'agents' : 'edges'}`
    const body = {
      Name: name,
      CheckDuplicate: true,
      Driver: 'overlay',
      Attachable: true,
      Internal: kind === 'agent',
      Labels: ownerOf(instance),
    }
    return { id: text(field(await call({ method: 'POST', path: '/networks/create', body }), 'Id')), name }
  }

  return { networks, createNetwork }
}
