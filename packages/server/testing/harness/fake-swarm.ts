import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { createTransport } from '../../src/engine/api/transport.ts'
import { createSwarm } from '../../src/engine/swarm/swarm.ts'

type Spec = { Role: string; Availability: string; Labels: Record<string, string> }
type FakeNode = { ID: string; Spec: Spec; Status: { State: string }; Version: { Index: number } }

/** An HTTP server that behaves like the engine of a Swarm manager, for faults that real machines do not have on demand. */
export async function openFakeSwarm(instance: string, ids: readonly string[], mustPull = false) {
  const [here = ''] = ids
  const nodes = new Map(ids.map((id) => [id, nodeNamed(id, id === here ? 'manager' : 'worker')]))
  const swarm = { isOn: true, spec: { Labels: { 'berth.instance': instance } } as Record<string, unknown>, token: 1 }
  const changes: string[] = []
  /** Nodes that never become managers. */
  const deaf = new Set<string>()
  let refusals: { pattern: RegExp; left: number } = { pattern: /$^/, left: 0 }

  const acting = (node: FakeNode) => ({
    ...node,
    Description: { Hostname: node.ID, Engine: { EngineVersion: '29.1.0' } },
    ...(node.Spec.Role === 'manager' &&
      !deaf.has(node.ID) && { ManagerStatus: { Leader: node.ID === here, Reachability: 'reachable', Addr: '127.0.0.1:2377' } }),
  })

  function read(path: string): unknown {
    const info = swarm.isOn ? { LocalNodeState: 'active', ControlAvailable: true, NodeID: here } : { LocalNodeState: 'inactive' }
    if (path === '/info') return { Name: here, Swarm: info }
    if (path === '/swarm') return { Version: { Index: 1 }, Spec: swarm.spec, JoinTokens: { Worker: `token-${swarm.token}` } }
    if (path === '/nodes') return [...nodes.values()].map(acting)
    return nodes.get(path.replace('/nodes/', ''))
  }

  function change(path: string, body: unknown, isNewToken: boolean): void {
    if (path === '/swarm/update') {
      if (isNewToken) {
        changes.push('token')
        swarm.token += 1
      } else changes.push('settings')
      swarm.spec = body as typeof swarm.spec // our own request
      return
    }
    const spec = body as Spec // likewise
    changes.push(`${path.split('/')[2]} ${spec.Role}`)
    const node = nodes.get(path.split('/')[2] ?? '')
    if (node) node.Spec = spec
  }

  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine')
    const path = pathname.replace(/^\/v1\.\d+/, '')
    if (path === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    if (refusals.left > 0 && refusals.pattern.test(`${request.method} ${path}`)) {
      refusals.left -= 1
      return void response.writeHead(503).end('{"message":"rpc error: The swarm does not have a leader."}')
    }
    if (request.method === 'GET') return void response.end(JSON.stringify(read(path)))
    void json(request).then((body) => {
      change(path, body, searchParams.get('rotateWorkerToken') === 'true')
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  const transport = createTransport({ address: { host: '127.0.0.1', port } })
  return {
    transport,
    swarm: createSwarm({ transport, mustPull: () => mustPull }),
    changes,
    deaf,
    switchOff: () => void (swarm.isOn = false),
    switchOn: () => void (swarm.isOn = true),
    join: (id: string) => void nodes.set(id, nodeNamed(id, 'worker')),
    setReady: (id: string, isReady: boolean) => {
      const node = nodes.get(id)
      if (node) node.Status.State = isReady ? 'ready' : 'down'
    },
    vanish: (id: string) => void nodes.delete(id),
    labelsOf: (id: string): Record<string, string> => nodes.get(id)?.Spec.Labels ?? {},
    settings: () => swarm.spec,
    token: () => `token-${swarm.token}`,
    /** Answers the next calls of this kind like a manager without a leader. */
    loseLeader: (pattern: RegExp, times: number) => void (refusals = { pattern, left: times }),
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function nodeNamed(id: string, role: string): FakeNode {
  return { ID: id, Spec: { Role: role, Availability: 'active', Labels: {} }, Status: { State: 'ready' }, Version: { Index: 1 } }
}
