import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endProcess } from '../../../testing/harness/end-process.ts'
import { freePort } from '../../../testing/harness/listening.ts'
import { poll } from '../../lib/retry.ts'
import { issuedTo, newAuthority } from '../../lib/x509.ts'
import { createAgentCalls } from './agent-calls.ts'
import { agentName, CALLER, createAgentIdentity } from './agent-identity.ts'
import { AGENT } from './agent-program.ts'

const NODE = 'node1'
const [OURS, FOREIGN, SLOW, LONG] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(64))
const SOON_MS = 50
const DAY_MS = 24 * 3600_000
const times = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) }
const newOne = () => ({ name: 'test', ...newAuthority({ name: 'test', ...times }) })
const authority = newOne()
const identity = createAgentIdentity({ authority: async () => authority, now: () => new Date() })
const stack = new AsyncDisposableStack()
const asked: string[] = []
const created: Record<string, string>[] = []
let port = 0
let isHung = false

/** An engine that has a container of an app, one of somebody else, and two whose figures are slow or endless. */
async function startEngine(socketPath: string): Promise<void> {
  const volumes = new Map([
    ['berth-abc-app-1-volume', { 'berth.instance': 'abc', 'berth.app': '1' }],
    ['berth-abc-app-2-volume-data', { 'berth.instance': 'abc', 'berth.app': '7' }],
  ])
  const nameOf = (id: string) => (id === FOREIGN ? 'berth-other-app-1-d1' : 'berth-abc-app-1-d1')
  const engine = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (isHung) return
    const [, , id = '', what = ''] = (request.url ?? '').split('/')
    const asJson = (status: number, value: unknown) => void response.writeHead(status).end(JSON.stringify(value))
    if (request.url === '/volumes/create')
      return void json(request).then((body) => {
        const { Name, Labels } = body as { Name: string; Labels: Record<string, string> } // the agent's own request
        created.push(Labels)
        volumes.set(Name, volumes.get(Name) ?? (Labels as { 'berth.instance': string; 'berth.app': string }))
        asJson(201, {})
      })
    if (request.url?.startsWith('/volumes?')) return asJson(200, { Volumes: [...volumes.keys(), 'other'].map((Name) => ({ Name })) })
    if (request.url?.startsWith('/containers/json'))
      return asJson(200, [{ State: 'exited' }, { State: request.url.includes('volume-used') ? 'paused' : 'created' }])
    if (request.url?.startsWith('/volumes/') && request.method === 'DELETE') return asJson(volumes.delete(id) ? 204 : 404, {})
    if (request.url?.startsWith('/volumes/')) return asJson(volumes.has(id) ? 200 : 404, { Name: id, Labels: volumes.get(id) })
    const isKnown = [OURS, FOREIGN, SLOW, LONG].includes(id)
    if (!isKnown) return void response.writeHead(404).end('{"message":"no such container"}')
    if (what === 'json')
      return void response.end(
        JSON.stringify({
          Config: { Labels: { 'com.docker.swarm.service.name': nameOf(id) }, Env: ['SECRET=x'] },
          State: { OOMKilled: id === LONG },
        }),
      )
    if (id === LONG) return void response.end(Buffer.alloc(2 * 1024 * 1024, '1'))
    if (id === OURS) setTimeout(() => response.end(JSON.stringify({ memory_stats: { usage: 42 } })), SOON_MS)
  })
  engine.listen(socketPath)
  await once(engine, 'listening')
  stack.defer(() => {
    engine.closeAllConnections()
    engine.close()
  })
}

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-agent-'))
  stack.defer(async () => await rm(directory, { recursive: true }))
  const [socketPath, identityFile] = [join(directory, 'engine.sock'), join(directory, 'identity')]
  await startEngine(socketPath)
  await writeFile(identityFile, await identity.forAgent(NODE))
  port = await freePort()
  const env = { INSTANCE: 'abc', CALLER, IDENTITY: identityFile, SOCKET: socketPath, PORT: String(port) }
  const agent: ChildProcess = spawn(process.execPath, ['-e', AGENT], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  stack.defer(async () => void (agent.pid !== undefined && (await endProcess(agent.pid, 5000))))
  const isUp = async () => (await raw(`/containers/${OURS}/stats?stream=false`)).startsWith('200')
  if (!(await poll(isUp, { until: (up) => up, everyMs: 50, limitMs: 20_000 }))) throw new Error('the agent did not start')
})
afterAll(async () => await stack.disposeAsync())

/** The status and the answer, or the error. */
async function raw(path: string, options: https.RequestOptions = {}): Promise<string> {
  const tls = { ...(await identity.forCaller()), servername: agentName(NODE) }
  return await new Promise((resolve) => {
    const request = https.request({ host: '127.0.0.1', port, path, agent: false, ...tls, ...options }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => resolve(`${response.statusCode} ${body}`))
      response.on('error', (error) => resolve(String(error)))
    })
    request.on('error', (error) => resolve(String(error)))
    request.end()
  })
}

const calls = (nodeId = NODE) => {
  const { get } = createAgentCalls({ identity, ownerOf: async () => 1, now: () => new Date(), port })
  return async (path: string) => await get({ nodeId, address: '127.0.0.1', project: 1 }, path)
}

it('gives the usage of a container of an app', async () => {
  for (const query of ['stream=false', 'stream=false&one-shot=true'])
    expect(await calls()(`/containers/${OURS}/stats?${query}`)).toEqual({ memory_stats: { usage: 42 } })
})

it('is not asked for more than it takes at once, however many containers there are', async () => {
  const ask = calls()
  const answers = await Promise.all(Array.from({ length: 50 }, async () => await ask(`/containers/${OURS}/stats?stream=false`)))
  expect(answers.filter((answer) => answer === null)).toEqual([])
})

it('gives the load of its server, and the free space', async () => {
  const { cpu, memory, freeBytes } = (await calls()('/load')) as { cpu: number; memory: number; freeBytes: number }
  expect(freeBytes).toBeGreaterThan(1)
  for (const share of [cpu, memory]) {
    expect(share).toBeGreaterThanOrEqual(0)
    expect(share).toBeLessThanOrEqual(100)
  }
  expect(memory).toBeGreaterThan(1)
})

it('says whether a container ran out of memory, and not more', async () => {
  expect(await raw(`/containers/${OURS}/end`)).toBe('200 {"oomKilled":false}')
  expect(await raw(`/containers/${LONG}/end`)).toBe('200 {"oomKilled":true}')
  expect(await raw(`/containers/${FOREIGN}/end`)).toMatch(/^403/)
})

it.each([
  ['GET', `/containers/${OURS}/json`],
  ['GET', `/containers/${OURS}/end?x`],
  ['GET', `/containers/${OURS}/stats`],
  ['POST', '/load'],
  ['GET', '/load/../info'],
  ['GET', `/containers/${OURS}/stats?stream=true`],
  ['GET', `/containers/${OURS}/archive?path=/etc`],
  ['GET', `/containers/${OURS}/../../info?stream=false`],
  ['GET', '/containers/json'],
  ['GET', '/containers/abc/stats?stream=false'],
  ['POST', `/containers/${OURS}/exec`],
  ['POST', `/containers/${OURS}/stats?stream=false`],
  ['DELETE', `/containers/${OURS}`],
  ['GET', '/volumes/other'],
  ['GET', '/volumes/berth-xyz-app-1-volume'],
  ['GET', '/volumes/berth-abc-app-1-volume/../x'],
  ['PUT', '/volumes/berth-abc-app-1-volume'],
  ['PUT', '/volumes/berth-abc-app-1-volume?project=1&x=2'],
  ['POST', '/volumes/berth-abc-app-1-volume?project=1'],
  ['DELETE', '/volumes'],
  ['GET', '/volumes/other/archive'],
  ['POST', '/volumes/berth-abc-app-1-volume/archive'],
  ['GET', '/volumes/berth-abc-app-1-volume/archive?path=/etc'],
])('refuses %s %s, and asks the engine nothing', async (method, path) => {
  asked.length = 0
  expect(await raw(path, { method })).toBe('403 {"message":"This agent does not answer this call."}')
  expect(asked).toEqual([])
})

it('tells nothing about a container of somebody else', async () => {
  asked.length = 0
  expect(await raw(`/containers/${FOREIGN}/stats?stream=false`)).toBe('403 {"message":"This container does not belong to an app."}')
  expect(asked).toEqual([`GET /containers/${FOREIGN}/json`])
  expect(await raw(`/containers/${'e'.repeat(64)}/stats?stream=false`)).toBe('404 {"message":"There is no such container here."}')
})

it('says which volumes of apps are there and in use, creates them with the labels of the app, and removes them', async () => {
  const [first, second] = ['/volumes/berth-abc-app-1-volume', '/volumes/berth-abc-app-3-volume-used']
  expect(await raw(first)).toBe('200 {"name":"berth-abc-app-1-volume","isUsed":false}')
  expect(await raw(second)).toBe('404 {"message":"There is no such volume here."}')
  expect(await raw(`${second}?project=4`, { method: 'PUT' })).toBe('200 {"name":"berth-abc-app-3-volume-used","isUsed":true}')
  expect(created).toEqual([{ 'berth.instance': 'abc', 'berth.kind': 'volume', 'berth.project': '4', 'berth.app': '3' }])
  expect(await raw(first, { method: 'DELETE' })).toBe('200 {}')
  expect(await raw(first)).toMatch(/^404/)
  expect(await raw('/volumes')).toBe('200 ["berth-abc-app-2-volume-data","berth-abc-app-3-volume-used"]')
})

it('neither uses nor removes a volume that has the name and not the labels of an app', async () => {
  const path = '/volumes/berth-abc-app-2-volume-data'
  for (const method of ['GET', 'DELETE']) expect(await raw(path, { method })).toMatch(/^409 .*does not have the labels of the app/)
  expect(await raw(`${path}?project=4`, { method: 'PUT' })).toMatch(/^409/)
})

it('answers only the control plane', async () => {
  const path = `/containers/${OURS}/stats?stream=false`
  const [stranger, other] = [newOne(), issuedTo(authority, { name: 'somebody', use: 'client', ...times })]
  const foreign = issuedTo(stranger, { name: CALLER, use: 'client', ...times })
  const agent = issuedTo(authority, { name: CALLER, use: 'server', ...times })
  asked.length = 0
  expect(await raw(path, { key: undefined, cert: undefined })).toMatch(/certificate required|ECONNRESET|socket hang up/)
  expect(await raw(path, { key: foreign.key, cert: foreign.certificate })).toMatch(/alert|ECONNRESET|socket hang up/)
  expect(await raw(path, { key: agent.key, cert: agent.certificate })).toMatch(/alert|ECONNRESET|socket hang up/)
  expect(await raw(path, { key: other.key, cert: other.certificate })).toMatch(/^403 .*Only the control plane/)
  expect(await raw(path, { maxVersion: 'TLSv1.2' })).toMatch(/alert|ECONNRESET|socket hang up/)
  expect(asked).toEqual([])
})

it('is believed only under its own name, and is not asked again for a while', async () => {
  asked.length = 0
  const ask = calls('node2')
  expect(await ask(`/containers/${OURS}/stats?stream=false`)).toBeNull()
  expect(await ask(`/containers/${OURS}/stats?stream=false`)).toBeNull()
  expect(asked).toEqual([])
})

it('does not pass on an answer without end, and still answers', async () => {
  expect(await raw(`/containers/${LONG}/stats?stream=false`)).toBe('422 {"message":"The answer of the engine is too long."}')
  const ask = calls()
  expect(await ask(`/containers/${LONG}/stats?stream=false`)).toBeNull()
  expect(await ask(`/containers/${OURS}/stats?stream=false`)).not.toBeNull()
})

it('does not wait for a slow engine, refuses too many calls at once, and answers again afterwards', async () => {
  const begun = performance.now()
  const ask = calls()
  asked.length = 0
  const patient = ask(`/containers/${SLOW}/stats?stream=false`)
  await expect.poll(() => asked).toContain(`GET /containers/${SLOW}/stats?stream=false`) // before the others
  const many = await Promise.all(Array.from({ length: 19 }, async () => await raw(`/containers/${SLOW}/stats?stream=false`)))
  expect(await patient).toBeNull()
  expect(performance.now() - begun).toBeLessThan(8000)
  const statuses = new Set(many.map((answer) => answer.slice(0, 3)))
  expect(statuses).toEqual(new Set(['502', '503']))
  asked.length = 0
  expect(await ask(`/containers/${SLOW}/stats?stream=false`)).toBeNull() // it is not asked again for a while
  expect(asked).toEqual([])
})

it('still answers about others when the engine does not about one container, but not when it answers nothing', async () => {
  const ask = calls()
  const ours = async () => await ask(`/containers/${OURS}/stats?stream=false`)
  expect(await ask(`/containers/${SLOW}/stats?stream=false`)).toBeNull()
  expect(await ours()).toEqual({ memory_stats: { usage: 42 } })
  isHung = true
  expect(await ours()).toBeNull()
  isHung = false
  expect(await ours()).toBeNull() // the whole server is not asked again for a while
  expect(await raw(`/containers/${OURS}/stats?stream=false`)).toMatch(/^200/)
})

it('refuses headers that are too long', async () => {
  expect(await raw(`/containers/${OURS}/stats?stream=false`, { headers: { long: 'x'.repeat(8000) } })).toMatch(/^431/)
})
