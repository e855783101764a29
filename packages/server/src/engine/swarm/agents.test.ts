import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { newAuthority } from '../../lib/x509.ts'
import { field, items, record, text } from '../api/json.ts'
import { createTransport } from '../api/transport.ts'
import { createAgentIdentity } from './agent-identity.ts'
import { createAgents } from './agents.ts'
import { nodeOf } from './nodes.ts'

const INSTANCE = 'abc'
const DAY_MS = 24 * 3600_000
const BEGIN = Date.parse('2026-01-01T00:00:00Z')
type Kept = Record<string, unknown> & { ID: string; CreatedAt: string }

/** An engine that keeps services, secrets and networks, with nodes that have passed their check. */
async function openLab(nodeIds: readonly string[]) {
  const kept = { services: new Map<string, Kept>(), secrets: new Map<string, Kept>(), networks: new Map<string, Kept>() }
  const state = { at: BEGIN, nodes: [...nodeIds], image: 'image:1', tasks: [] as unknown[], created: 0, gateway: [] as string[] }
  const kindOf = (path: string) => path.split('/')[1] as keyof typeof kept // our own requests
  const create = (path: string, body: unknown) => {
    state.created += 1
    const id = `${kindOf(path)}${state.created}`
    kept[kindOf(path)].set(id, { ID: id, Id: id, CreatedAt: new Date(state.at).toISOString(), Spec: body, ...record(body) })
    return { ID: id, Id: id }
  }
  const server = http.createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://engine').pathname.replace(/^\/v1\.\d+/, '')
    if (path === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    if (path === '/tasks') return void response.end(JSON.stringify(state.tasks))
    if (request.method === 'DELETE') return void response.end(String(kept[kindOf(path)].delete(path.split('/')[2] ?? '') || ''))
    if (request.method === 'GET') return void response.end(JSON.stringify([...kept[kindOf(path)].values()]))
    void json(request).then((body) => response.end(JSON.stringify(create(path, body))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  const times = { notBefore: new Date(BEGIN), notAfter: new Date(BEGIN + 1000 * DAY_MS) }
  const authority = { name: 'test', ...newAuthority({ name: 'test', ...times }) }
  const node = (id: string) => nodeOf({ ID: id, Spec: { Labels: { 'berth.checked': 'true' } }, Status: { State: 'ready' } })
  const machine = { name: '', engine: '', cores: 1, memoryBytes: 1 }
  const agents = createAgents({
    transport: createTransport({ address: { host: '127.0.0.1', port } }),
    swarm: {
      state: async () => ({ is: 'ours', machine, nodeId: 'here', openUntil: null }),
      nodes: async () => [node('here'), nodeOf({ ID: 'unchecked' }), ...state.nodes.map(node)],
    },
    gateway: {
      join: async (_instance, networks) => void (state.gateway = networks.map(({ id }) => id)),
      leave: async () => void (state.gateway = []),
    },
    agentImage: { nameOf: () => state.image },
    identity: createAgentIdentity({ authority: async () => authority, now: () => new Date(state.at) }),
    now: () => new Date(state.at),
    log: { info: () => undefined },
  })
  const container = (service: Kept) => field(service, 'Spec', 'TaskTemplate', 'ContainerSpec')
  return {
    agents,
    state,
    kept,
    keep: async () => await agents.keep(INSTANCE),
    names: () => [...kept.services.values()].map((service) => text(field(service, 'Spec', 'Name'))),
    images: () => [...kept.services.values()].map((service) => text(field(container(service), 'Image'))),
    secretsOfServices: () =>
      [...kept.services.values()].map((service) => text(field(items(field(container(service), 'Secrets'))[0], 'SecretID'))),
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it('each server that has passed its check gets an agent with a key of its own, once', async () => {
  await using lab = await openLab(['n2', 'n3'])
  await lab.keep()
  expect(lab.names()).toEqual(['berth-abc-agent-n2', 'berth-abc-agent-n3'])
  expect(new Set(lab.secretsOfServices())).toEqual(new Set(lab.kept.secrets.keys()))
  expect(lab.kept.secrets.size).toBe(2)
  expect(lab.state.gateway).toEqual([...lab.kept.networks.keys()])
  expect(record([...lab.kept.networks.values()][0])).toMatchObject({ Driver: 'overlay', Internal: true })
  expect(JSON.stringify([...lab.kept.services.values()])).not.toContain('PRIVATE KEY')
  const before = lab.state.created
  await lab.keep()
  expect(lab.state.created).toBe(before)
})

it('an agent gets a new key after 60 days, and the old one is removed', async () => {
  await using lab = await openLab(['n2'])
  await lab.keep()
  const before = lab.secretsOfServices()
  lab.state.at += 59 * DAY_MS
  await lab.keep()
  expect(lab.secretsOfServices()).toEqual(before)
  lab.state.at += 2 * DAY_MS
  await lab.keep()
  expect(lab.secretsOfServices()).not.toEqual(before)
  expect([...lab.kept.secrets.keys()]).toEqual(lab.secretsOfServices())
})

it('an agent stays in its image until the new one is known to be on its server, or its own is gone', async () => {
  await using lab = await openLab(['n2', 'n3'])
  await lab.keep()
  lab.state.image = 'image:2'
  await lab.keep()
  expect(lab.images()).toEqual(['image:1', 'image:1'])
  lab.agents.sawImage('n3')
  await lab.keep()
  expect(lab.images()).toEqual(['image:1', 'image:2'])
  lab.state.tasks = [{ Status: { State: 'rejected', Err: 'No such image' } }]
  await lab.keep()
  expect(lab.images()).toEqual(['image:2', 'image:2'])
})

it('what a crash left and the agent of a server that is gone are removed, and without other servers everything', async () => {
  await using lab = await openLab(['n2', 'n3'])
  await lab.keep()
  lab.kept.secrets.set('left', { ID: 'left', CreatedAt: new Date(BEGIN).toISOString() })
  lab.state.nodes = ['n3']
  await lab.keep()
  expect(lab.names()).toEqual(['berth-abc-agent-n3'])
  expect([...lab.kept.secrets.keys()]).toEqual(lab.secretsOfServices())
  lab.state.nodes = []
  await lab.keep()
  expect([...lab.kept.services.keys(), ...lab.kept.secrets.keys(), ...lab.kept.networks.keys(), ...lab.state.gateway]).toEqual([])
})
