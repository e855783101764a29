import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createCertificateFiles } from '../../src/edge/certificates/certificate-files.ts'
import type { EdgeTarget } from '../../src/edge/edge.ts'
import { createHaproxyRuntime } from '../../src/edge/haproxy/runtime.ts'
import { createAccessCounts } from '../../src/edge/traffic/access-counts.ts'
import { freePort } from '../../testing/harness/listening.ts'
import { ownCertificate, shownFingerprint } from '../../testing/harness/own-certificate.ts'
import { startTestEdge, type TestEdge } from '../../testing/harness/test-edge.ts'

async function startBackend(name: string) {
  const slow: (() => void)[] = []
  const server = createServer((req, res) => {
    req.resume()
    if (req.url === '/slow') {
      res.write('first')
      slow.push(() => res.end('last'))
      return
    }
    req.on('end', () => res.end(name))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  /** Like an app that exits at once on SIGTERM. */
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    server,
    finishSlow: () => {
      for (const finish of slow) finish()
    },
    target: { ip: '127.0.0.1', port: address.port },
    stop,
    [Symbol.asyncDispose]: async () => (server.listening ? stop() : undefined),
  }
}

async function get(edge: TestEdge, host: string, options: { agent?: Agent; method?: string; path?: string; body?: string } = {}) {
  const { agent = false, method = 'GET' } = options
  const req = request({ host: '127.0.0.1', port: edge.httpPort, method, path: options.path ?? '/', headers: { host }, agent })
  req.end(options.body)
  const [res] = (await once(req, 'response')) as [IncomingMessage] // the event's only argument
  return { status: res.statusCode, body: await text(res) }
}

const oneApp = (targets: EdgeTarget[]) => ({
  apps: [{ appKey: 'a1', hosts: [{ host: 'one.test', redirectHttps: true, hsts: true }], targets }],
})

/** Half of them on keep-alive connections, half on a new one each time; GET and POST. `leave` returns the failures. */
function keepVisiting(edge: TestEdge) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const failures: string[] = []
  let isDone = false
  let sent = 0
  const visit = async (method: 'GET' | 'POST', kept: boolean) => {
    while (!isDone) {
      sent += 1
      try {
        const body = method === 'POST' ? { body: 'x'.repeat(2_000) } : {}
        const answer = await get(edge, 'one.test', { ...(kept && { agent }), method, ...body })
        if (answer.status !== 200) throw new Error(`status ${answer.status}`)
      } catch (cause) {
        failures.push(`${method} ${kept ? 'kept' : 'new'} ${String(cause)}`)
      }
    }
  }
  const visitors = Array.from({ length: 16 }, async (_, n) => await visit(n % 2 === 0 ? 'GET' : 'POST', n % 4 < 2))
  return {
    sent: () => sent,
    async leave(): Promise<string[]> {
      isDone = true
      await Promise.all(visitors)
      agent.destroy()
      return failures
    },
  }
}

describe('a switch', () => {
  it('loses no request of twenty releases that die at once when they are replaced', async () => {
    await using edge = await startTestEdge()
    let current = await startBackend('r0')
    await edge.edge.setRoutes(oneApp([current.target]))
    const visitors = keepVisiting(edge)
    for (let release = 1; release <= 20; release += 1) {
      const next = await startBackend(`r${release}`)
      await edge.edge.setRoutes(oneApp([next.target]))
      await expect.poll(() => edge.edge.inFlight([current.target])).toBe(0)
      await current.stop()
      current = next
      await sleep(50)
    }
    await expect.poll(visitors.sent, { timeout: 30_000 }).toBeGreaterThan(3_000)
    const failures = await visitors.leave()
    await current.stop()
    process.stdout.write(`edge: ${visitors.sent()} requests during 20 switches, ${failures.length} failed\n`)
    expect(failures).toEqual([])
  })

  it('with ten thousand domains is one small change', async () => {
    await using edge = await startTestEdge()
    await using one = await startBackend('one')
    await using two = await startBackend('two')
    const apps = Array.from({ length: 10_000 }, (_, n) => ({
      appKey: `a${n}`,
      hosts: [{ host: `app-${n}.example.test`, redirectHttps: true, hsts: true }],
      targets: [{ ip: `10.${n >> 8}.${n & 255}.2`, port: 3000 }],
    }))
    const begin = performance.now()
    await edge.edge.setRoutes({ apps })
    const filled = performance.now()
    const switchedApps = apps.map((app) => (app.appKey === 'a7' ? { ...app, targets: [one.target] } : app))
    await edge.edge.setRoutes({ apps: switchedApps })
    const switched = performance.now()
    expect((await get(edge, 'app-7.example.test')).body).toBe('one')
    await edge.edge.setRoutes({
      apps: [...switchedApps, { appKey: 'new', hosts: [{ host: 'new.test', redirectHttps: true, hsts: true }], targets: [two.target] }],
    })
    const added = performance.now()
    expect((await get(edge, 'new.test')).body).toBe('two')
    const ms = (from: number, to: number) => `${Math.round(to - from)} ms`
    process.stdout.write(
      `edge: 10,000 domains: fill ${ms(begin, filled)}, switch ${ms(filled, switched)}, new domain ${ms(switched, added)}\n`,
    )
  })
})

describe('a neighbour', () => {
  it('keeps its socket and its download through deploys, domain changes and certificate changes of another app', async () => {
    await using edge = await startTestEdge()
    await using app = await startBackend('app')
    await using neighbour = await startBackend('neighbour')
    const sockets = new WebSocketServer({ server: neighbour.server })
    sockets.on('connection', (socket) => socket.on('message', (message) => socket.send(message)))
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    const next = { appKey: 'next', hosts: [{ host: 'next.test', redirectHttps: false, hsts: false }], targets: [neighbour.target] }
    await edge.edge.setRoutes({ apps: [next] })
    const socket = new WebSocket(`ws://127.0.0.1:${edge.httpPort}`, { headers: { host: 'next.test' } })
    await once(socket, 'open')
    let isBroken = false
    socket.on('close', () => (isBroken = true))
    const download = get(edge, 'next.test', { path: '/slow' })
    for (let round = 0; round < 20; round += 1) {
      const host = `app-${round}.test`
      const port = 20_000 + round
      await edge.edge.setRoutes({
        apps: [
          next,
          { appKey: 'app', hosts: [{ host, redirectHttps: true, hsts: true }], targets: [app.target, { ip: '127.0.0.1', port }] },
        ],
      })
      if (round % 4 === 0) await edge.edge.setCertificates([await store.put(host, 'uploaded', ownCertificate(host))])
      if (round % 4 === 1) await edge.edge.setCertificates([])
      const echoed = once(socket, 'message')
      socket.send(host)
      expect(String((await echoed)[0])).toBe(host)
    }
    neighbour.finishSlow()
    expect((await download).body).toBe('firstlast')
    expect(isBroken).toBe(false)
    socket.terminate()
    sockets.close()
  })
})

describe('the edge', () => {
  it('restarts with the same routes from disk after HAProxy was killed, without the control plane', async () => {
    await using edge = await startTestEdge()
    await using one = await startBackend('one')
    await edge.edge.setRoutes(oneApp([one.target]))
    const store = createCertificateFiles({ dir: edge.paths.certificatesDir })
    await edge.edge.setCertificates([await store.put('one.test', 'uploaded', ownCertificate('one.test'))])
    const shownBefore = await shownFingerprint(edge, 'one.test')
    await edge.edge.close()
    await edge.process.stop('SIGKILL')
    // the worker may end a moment after its master
    await expect.poll(() => get(edge, 'one.test').then(() => 'an answer', String)).toContain('ECONNREFUSED')
    const again = edge.reopen()
    await expect.poll(() => again.state().state, { timeout: 20_000 }).toBe('ready')
    expect((await get(edge, 'one.test')).status).toBe(308)
    expect(await shownFingerprint(edge, 'one.test')).toBe(shownBefore)
    expect(await shownFingerprint(edge, 'other.test')).not.toBe(shownBefore)
  })

  it('starts a killed HAProxy again by itself and puts drift right', async () => {
    await using edge = await startTestEdge({ repairEveryMs: 200 })
    await using one = await startBackend('one')
    await edge.edge.setRoutes(oneApp([one.target]))
    await edge.process.stop('SIGKILL')
    const answered = async () => (await get(edge, 'one.test').catch(() => undefined))?.body
    await expect.poll(answered, { timeout: 20_000 }).toBe('one')
  })

  it('puts right what somebody changed in memory or on disk', async () => {
    await using edge = await startTestEdge()
    await using one = await startBackend('one')
    await edge.edge.setRoutes(oneApp([one.target]))
    const runtime = createHaproxyRuntime({ socketPath: edge.paths.socket })
    await runtime.changeMap(edge.paths.map('hosts'), [
      { kind: 'del', key: 'one.test' },
      { kind: 'add', key: 'evil.test', value: 'a1|' },
      { kind: 'add', key: 'evil.test', value: 'a1|' },
    ])
    await writeFile(edge.paths.map('apps'), 'a1 nonsense\n')
    expect((await get(edge, 'one.test')).status).toBe(404)
    await edge.edge.repair()
    expect((await get(edge, 'one.test')).body).toBe('one')
    expect((await get(edge, 'evil.test')).status).toBe(404)
    expect(await readFile(edge.paths.map('apps'), 'utf8')).toMatch(/^a1 127\.0\.0\.1\|\d+\n$/)
  })

  it('keeps serving and accepts changes after a restart of the control plane', async () => {
    await using edge = await startTestEdge()
    await using one = await startBackend('one')
    await using two = await startBackend('two')
    await edge.edge.setRoutes(oneApp([one.target]))
    const pid = edge.process.pid()
    await edge.edge.close()
    expect((await get(edge, 'one.test')).body).toBe('one')
    const again = edge.reopen()
    await expect.poll(() => again.state().state).toBe('ready')
    expect((await get(edge, 'one.test')).body).toBe('one')
    await again.setRoutes(oneApp([two.target]))
    expect((await get(edge, 'one.test')).body).toBe('two')
    expect(edge.process.pid()).toBe(pid)
  })

  it('loads a new configuration without a failed request, a cut stream or a broken socket', async () => {
    await using edge = await startTestEdge()
    await using one = await startBackend('one')
    await edge.edge.setRoutes(oneApp([one.target]))
    const sockets = new WebSocketServer({ server: one.server })
    sockets.on('connection', (socket) => socket.on('message', (message) => socket.send(message)))
    const socket = new WebSocket(`ws://127.0.0.1:${edge.httpPort}`, { headers: { host: 'one.test' } })
    await once(socket, 'open')
    const download = get(edge, 'one.test', { path: '/slow' })
    const counts = createAccessCounts({ socketPath: edge.paths.socket, now: () => new Date() })
    const visitors = keepVisiting(edge)
    const pid = edge.process.pid()
    let current = edge.edge
    let reloads = 0
    for (let turn = 1; turn <= 3; turn += 1) {
      await current.close()
      const onReload = () => {
        reloads += 1
        counts.reopen()
      }
      current = edge.reopen({ timeouts: { keepAliveMs: 60_000 + turn }, onReload })
      await current.setRoutes(oneApp([one.target]))
      const before = counts.snapshot('a1').requests
      await expect.poll(() => counts.snapshot('a1').requests, { timeout: 10_000 }).toBeGreaterThan(before + 50)
    }
    const failures = await visitors.leave()
    expect(await current.inFlight([one.target])).toBe(2) // the socket and the download, which the first worker still has
    process.stdout.write(`edge: ${visitors.sent()} requests during 3 new configurations, ${failures.length} failed\n`)
    expect({ failures, reloads, pid: edge.process.pid() }).toEqual({ failures: [], reloads: 3, pid })
    const echoed = once(socket, 'message')
    socket.send('still here')
    expect(String((await echoed)[0])).toBe('still here')
    one.finishSlow()
    expect((await download).body).toBe('firstlast')
    socket.terminate()
    await expect.poll(async () => await current.inFlight([one.target])).toBe(0)
    counts.close()
    sockets.close()
    await current.close()
  })

  it('keeps the old configuration if HAProxy rejects the new one, and says why', async () => {
    await using edge = await startTestEdge()
    await using one = await startBackend('one')
    await edge.edge.setRoutes(oneApp([one.target]))
    await edge.edge.close()
    const again = edge.reopen({ timeouts: { keepAliveMs: -1 }, startWithinMs: 1_500 })
    await expect(again.setRoutes(oneApp([one.target]))).rejects.toThrow('keeps using the old one.')
    // an HAProxy that has just started may miss the first call, so it is repeated
    await expect.poll(edge.warnings, { timeout: 20_000 }).toMatch(/keeps using the old one\.[^]*config : parsing .*timeout/)
    expect(again.state().message).not.toContain(edge.paths.dir)
    expect((await get(edge, 'one.test')).body).toBe('one')
    await again.close()
  })

  it('names a port that is in use and continues once it is free', async () => {
    const port = await freePort()
    const holder = createTcpServer().listen(port, '0.0.0.0')
    await once(holder, 'listening')
    await using edge = await startTestEdge({ httpPort: port })
    await expect(edge.edge.setRoutes({ apps: [] })).rejects.toThrow(`Port ${port} is taken by another program (`)
    expect(edge.edge.state()).toMatchObject({ state: 'unreachable', message: expect.stringContaining('BERTH_EDGE_HTTP_PORT') })
    holder.close()
    await once(holder, 'close')
    await expect.poll(() => edge.edge.state().state, { timeout: 20_000 }).toBe('ready')
  })

  it('counts the requests of each app, and continues after HAProxy was killed', async () => {
    await using edge = await startTestEdge({ repairEveryMs: 200 })
    await using one = await startBackend('one')
    await edge.edge.setRoutes(oneApp([one.target]))
    const counts = createAccessCounts({ socketPath: edge.paths.socket, now: () => new Date() })
    try {
      const asked = async () => {
        await get(edge, 'one.test')
        return counts.snapshot('a1').requests
      }
      await expect.poll(asked).toBeGreaterThan(5)
      const seen = counts.snapshot('a1')
      expect(seen.statuses['2xx']).toBe(seen.requests)
      expect(seen.bytesOut).toBeGreaterThan(seen.requests * 50)
      expect(seen.p50Ms).toBeGreaterThan(0)
      expect(counts.snapshot('a2').requests).toBe(0)
      await edge.process.stop('SIGKILL')
      const askedAgain = async () => (await asked().catch(() => 0)) - seen.requests
      await expect.poll(askedAgain, { timeout: 15_000 }).toBeGreaterThan(20)
    } finally {
      counts.close()
    }
  })
})
