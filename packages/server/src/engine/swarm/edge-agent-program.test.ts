import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endProcess } from '../../../testing/harness/end-process.ts'
import { freePort } from '../../../testing/harness/listening.ts'
import { poll } from '../../lib/retry.ts'
import { issuedTo, newAuthority } from '../../lib/x509.ts'
import { EngineError, EngineUnreachable } from '../api/errors.ts'
import { agentName, CALLER, createAgentIdentity } from './agent-identity.ts'
import { createEdgeAgentCalls, type EdgeCall } from './edge-agent-calls.ts'
import { EDGE_AGENT, EDGE_CALLS } from './edge-agent-program.ts'
import { edgeAgentIdentity } from './edge-agent-spec.ts'

const NODE = 'node1'
const DAY_MS = 24 * 3600_000
const IMAGE = `198.51.100.1:5443/edge@sha256:${'a'.repeat(64)}`
const [BASE, PROJECT, GONE] = ['base', 'project', 'gone'].map((word) => word.padEnd(25, '0'))
const times = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) }
const authority = { name: 'test', ...newAuthority({ name: 'test', ...times }) }
const identity = createAgentIdentity({ authority: async () => authority, now: () => new Date() })
const stack = new AsyncDisposableStack()
/** What its engine was asked, with the body. */
const asked: [string, unknown][] = []
let [port, directory] = [0, '']

/** An engine that has a container of the edge, in two networks. */
async function startEngine(socketPath: string): Promise<void> {
  const engine = http.createServer((request, response) => {
    void text(request).then((body) => {
      asked.push([`${request.method} ${request.url}`, body === '' ? '' : JSON.parse(body)])
      const networks = { a: { NetworkID: BASE }, b: { NetworkID: GONE } }
      if (request.url === '/containers/berth-abc-edge/json')
        return response.end(
          JSON.stringify({
            State: { Running: true },
            Config: { Labels: { 'berth.fingerprint': 'f1' } },
            NetworkSettings: { Networks: networks },
          }),
        )
      if (request.url?.includes('/images/create') === true)
        return response.end('{"status":"…"}\n{"errorDetail":{},"error":"no such image"}\n')
      if (request.url?.startsWith('/images/') === true) return response.writeHead(404).end('{"message":"no such image"}')
      return response.writeHead(200).end('{}')
    })
  })
  engine.listen(socketPath)
  await once(engine, 'listening')
  stack.defer(() => {
    engine.closeAllConnections()
    engine.close()
  })
}

beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'berth-edge-agent-'))
  stack.defer(async () => await rm(home, { recursive: true }))
  directory = join(home, 'edge')
  await mkdir(directory)
  const [socketPath, identityFile] = [join(home, 'engine.sock'), join(home, 'identity')]
  await startEngine(socketPath)
  await writeFile(identityFile, await identity.forAgent(edgeAgentIdentity(NODE)))
  port = await freePort()
  const own = { INSTANCE: 'abc', CALLER, IDENTITY: identityFile, SOCKET: socketPath, PORT: String(port), DIR: directory }
  const env = { ...own, LABELS: '{"berth.instance":"abc"}', FINGERPRINT_LABEL: 'berth.fingerprint' }
  const agent = spawn(process.execPath, ['-e', EDGE_AGENT], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  stack.defer(async () => void (agent.pid !== undefined && (await endProcess(agent.pid, 5000))))
  const isUp = async () => (await raw('/inspect')).startsWith('200')
  if (!(await poll(isUp, { until: (up) => up, everyMs: 50, limitMs: 20_000 }))) throw new Error('the agent did not start')
})
afterAll(async () => await stack.disposeAsync())

/** The status and the answer, or the error. */
async function raw(path: string, options: https.RequestOptions = {}, body = '{}'): Promise<string> {
  const tls = { ...(await identity.forCaller()), servername: agentName(edgeAgentIdentity(NODE)) }
  return await new Promise((resolve) => {
    const request = https.request({ host: '127.0.0.1', port, path, method: 'POST', agent: false, ...tls, ...options }, (response) => {
      text(response).then(
        (answer) => resolve(`${response.statusCode} ${answer}`),
        (error: unknown) => resolve(String(error)),
      )
    })
    request.on('error', (error) => resolve(String(error)))
    request.end(body)
  })
}

async function ask(name: EdgeCall, given?: Record<string, unknown>, nodeId = NODE): Promise<unknown> {
  const { call, close } = createEdgeAgentCalls({ identity, port })
  return await call({ nodeId, address: '127.0.0.1' }, name, given).finally(close)
}
const requests = () => asked.map(([what]) => what)

it('writes the files of the edge, compares them, and reads out none with a key', async () => {
  const [map, key] = [join(directory, 'maps/hosts.map'), join(directory, 'certs/a.example.acme.pem')]
  expect(await ask('look', { path: map })).toEqual({ hash: null, text: null })
  await ask('write', { path: map, text: 'a.example app-1\n' })
  await ask('write', { path: key, text: 'secret' })
  const hashOf = (contents: string) => createHash('sha256').update(contents).digest('hex')
  expect(await ask('look', { path: map })).toEqual({ hash: hashOf('a.example app-1\n'), text: 'a.example app-1\n' })
  expect(await ask('look', { path: key })).toEqual({ hash: hashOf('secret'), text: null })
  expect((await stat(key)).mode & 0o777).toBe(0o600)
  expect(await readFile(map, 'utf8')).toBe('a.example app-1\n')
})

it('keeps only the certificates that are wanted, and nothing when the edge is switched off', async () => {
  const [kept, other] = [join(directory, 'certs/kept.example.acme.pem'), join(directory, 'certs/other.example.acme.pem')]
  for (const path of [kept, other]) await ask('write', { path, text: 'x' })
  await ask('keepOnly', { paths: [kept] })
  expect(await readdir(join(directory, 'certs'))).toEqual(['kept.example.acme.pem'])
  await ask('wipe')
  expect(await readdir(directory)).toEqual(['run'])
})

it.each([['/etc/passwd'], ['/../../etc/passwd'], ['/certs/../../identity'], ['/certs/'], ['/run/haproxy.sock'], ['/maps/hosts.map\n']])(
  'has nothing to do with the file %j',
  async (path) => {
    for (const name of ['look', 'write'] as const)
      await expect(ask(name, { path: path.startsWith('/etc') ? path : directory + path, text: 'x' })).rejects.toThrow(
        'not a file of the edge',
      )
  },
)

it('starts one container whose rights it knows by itself', async () => {
  asked.length = 0
  await ask('run', {
    image: IMAGE,
    fingerprint: 'f1'.repeat(8),
    networks: [BASE, PROJECT],
    HostConfig: { Privileged: true },
    command: ['sh'],
  })
  expect(requests()).toEqual([
    'GET /containers/berth-abc-edge/json',
    'POST /containers/berth-abc-edge/stop?t=5',
    'DELETE /containers/berth-abc-edge?force=true',
    'POST /containers/create?name=berth-abc-edge',
    `POST /networks/${PROJECT}/connect`,
    'POST /containers/berth-abc-edge/start',
  ])
  const [, body] = asked[3] ?? []
  expect(body).toMatchObject({
    Image: IMAGE,
    Cmd: ['haproxy', '-W', '-db', '-S', `${directory}/run/master.sock,mode,600`, '-f', `${directory}/haproxy.cfg`],
    HostConfig: { NetworkMode: BASE, ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
  })
  expect(JSON.stringify(body)).not.toMatch(/Privileged|docker\.sock|"bind"/)
})

it('joins the networks that are wanted and leaves the others', async () => {
  asked.length = 0
  await ask('networks', { networks: [BASE, PROJECT] })
  expect(requests()).toEqual([
    'GET /containers/berth-abc-edge/json',
    `POST /networks/${PROJECT}/connect`,
    `POST /networks/${GONE}/disconnect`,
  ])
})

it('gives the lines of the log of requests once, and follows the process that is there now', async () => {
  await mkdir(join(directory, 'run'), { recursive: true })
  const socketPath = join(directory, 'run/haproxy.sock')
  const startHaproxy = async (...lines: string[]) => {
    const sockets: net.Socket[] = []
    const haproxy = net.createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.once('data', (command) => {
        if (command.toString() === 'show events access -w -n\n') for (const line of lines) socket.write(line)
      })
    })
    haproxy.listen(socketPath)
    await once(haproxy, 'listening')
    return () => {
      haproxy.close()
      for (const socket of sockets) socket.destroy()
    }
  }
  const served = async () => (await ask('served')) as { lines: string } // as the program answers
  const some = async () => await poll(served, { until: ({ lines }) => lines !== '', everyMs: 100, limitMs: 10_000 })

  const endFirst = await startHaproxy('a| 200 1 2 3\n', 'b| 200 1')
  expect((await some()).lines).toBe('a| 200 1 2 3\n')
  expect(await served()).toEqual({ lines: '' })
  endFirst()
  await rm(socketPath, { force: true })
  const end = await startHaproxy('c| 200 1 2 3\n')
  await ask('follow')
  expect((await some()).lines).toBe('c| 200 1 2 3\n')
  end()
})

it.each<[EdgeCall, Record<string, unknown>]>([
  ['run', { image: 'alpine', fingerprint: 'f1'.repeat(8), networks: [BASE] }],
  ['run', { image: IMAGE, fingerprint: 'f1'.repeat(8), networks: [] }],
  ['run', { image: IMAGE, fingerprint: 'f1'.repeat(8), networks: ['bridge/../x'] }],
  ['run', { image: IMAGE, networks: [BASE] }],
  ['pull', { image: 'alpine:latest', auth: '' }],
  ['pull', { image: IMAGE, auth: 'x\r\ny: z' }],
  ['networks', { networks: 'host' }],
  ['ask', { socket: '../../engine', command: 'show info' }],
])('refuses %s with %j, and asks the engine nothing', async (name, given) => {
  asked.length = 0
  await expect(ask(name, given)).rejects.toThrow(/^This is not/)
  expect(asked).toEqual([])
})

it('says what the engine or HAProxy there said', async () => {
  await expect(ask('pull', { image: IMAGE, auth: '' })).rejects.toThrow(
    new EngineError(409, 'The image of the edge could not be pulled: no such image'),
  )
  await expect(ask('ask', { socket: 'haproxy', command: 'show info' })).rejects.toThrow('HAProxy does not answer')
})

it('answers only the control plane, on its own calls', async () => {
  const foreign = issuedTo({ name: 'test', ...newAuthority({ name: 'test', ...times }) }, { name: CALLER, use: 'client', ...times })
  const other = issuedTo(authority, { name: 'somebody', use: 'client', ...times })
  asked.length = 0
  const refusedByTls = /certificate required|alert|ECONNRESET|socket hang up/
  expect(await raw('/inspect', { key: undefined, cert: undefined })).toMatch(refusedByTls)
  expect(await raw('/inspect', { key: foreign.key, cert: foreign.certificate })).toMatch(refusedByTls)
  expect(await raw('/inspect', { key: other.key, cert: other.certificate })).toMatch(/^403 .*Only the control plane/)
  for (const path of ['/containers/json', '/toString', '/inspect/', '/'])
    expect(await raw(path)).toMatch(/^403 .*does not answer this call/)
  expect(await raw('/inspect', { method: 'PUT' })).toMatch(/^403/)
  expect(await raw('/look', {}, 'no json')).toMatch(/^400 .*not JSON/)
  expect(asked).toEqual([])
  expect(Object.values(EDGE_CALLS)).toHaveLength(14)
})

it('is believed only under its own name', async () => {
  await expect(ask('inspect', {}, 'node2')).rejects.toThrow(EngineUnreachable)
})
