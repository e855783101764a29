import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createTransport } from '../api/transport.ts'
import { labelsOf } from '../labels.ts'
import { createProjectOverlays } from './project-overlays.ts'
import { serviceOf } from './service-state.ts'

const INSTANCE = 'abc'
const DATABASE = 'd'.repeat(64)
type Answer = { status?: number; body: unknown }

/** An engine with the overlay network of project 1, which a database of this server is in. */
async function openLab(answers: Record<string, Answer> = {}) {
  const changes: string[] = []
  let projects = [1]
  let nowMs = 0
  const overlay = { Id: 'o1', Name: 'overlay', Labels: labelsOf({ instance: INSTANCE, projectId: 1, kind: 'network' }) }
  const known: Record<string, Answer> = {
    'GET /networks': { body: [overlay] },
    'GET /networks/o1': { body: { ...overlay, Containers: { [DATABASE]: {}, 'lb-overlay': {} } } },
    'GET /containers/json': { body: [] },
    ...answers,
  }
  const server = http.createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://engine').pathname.replace(/^\/v1\.\d+/, '')
    if (path === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    const asked = `${request.method} ${path}`
    if (request.method !== 'GET') changes.push(asked)
    const { status = 200, body } = known[asked] ?? { body: {} }
    request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo
  const serviceIn = (projectId: number) =>
    serviceOf({ Spec: { Labels: labelsOf({ instance: INSTANCE, projectId, kind: 'app', appId: 4 }) } })
  const overlays = createProjectOverlays({
    transport: createTransport({ address: { host: '127.0.0.1', port } }),
    calls: { services: async () => projects.map(serviceIn) },
    gateway: {
      join: async (_instance, joined) => void changes.push(`gateway joins ${joined.map(({ id }) => id).join()}`),
      remove: async () => void changes.push('gateway is removed'),
    },
    now: () => nowMs,
  })
  return {
    overlays,
    changes: () => changes.splice(0),
    removeServices: () => void (projects = []),
    pass: (ms: number) => void (nowMs += ms),
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it('the network of a project goes a while after its last service, and its containers here leave it first', async () => {
  await using lab = await openLab()
  await lab.overlays.keep(INSTANCE)
  lab.removeServices()
  await lab.overlays.keep(INSTANCE)
  lab.pass(20_000)
  await lab.overlays.keep(INSTANCE)
  expect(lab.changes()).toEqual(Array.from({ length: 3 }, () => 'gateway joins o1'))
  lab.pass(15_000)
  await lab.overlays.keep(INSTANCE)
  expect(lab.changes()).toEqual(['gateway is removed', 'POST /networks/o1/disconnect', 'DELETE /networks/o1'])
})

it('before Swarm is switched off, all of them go', async () => {
  await using lab = await openLab()
  await lab.overlays.removeAll(INSTANCE)
  expect(lab.changes()).toEqual(['gateway is removed', 'POST /networks/o1/disconnect', 'DELETE /networks/o1'])
})

it('a network that another control plane has just created is used', async () => {
  const name = 'GET /networks/berth-abc-project-2-overlay'
  await using lab = await openLab({
    'POST /networks/create': { status: 409, body: { message: 'network with name berth-abc-project-2-overlay already exists' } },
    [name]: { body: { Id: 'o2' } },
  })
  expect(await lab.overlays.ensure({ instance: INSTANCE, projectId: 2 })).toBe('o2')
  expect(lab.changes()).toContain('gateway joins o2')
})

it('what fails for one network does not keep the gateway from the others', async () => {
  await using lab = await openLab({ 'GET /containers/json': { status: 500, body: { message: 'broken' } } })
  await expect(lab.overlays.keep(INSTANCE)).rejects.toThrow('broken')
  expect(lab.changes()).toEqual(['gateway joins o1'])
})
