import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Operation, operations, sockets } from '@berth/contract'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { resourcesOf } from '../../testing/harness/process-resources.ts'
import { headOf, openConnection, type RawConnection } from '../../testing/harness/raw-connection.ts'
import { OWNER, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'

const MIB = 1024 * 1024
const SIGNATURE = { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` }
const TUNING = { headMs: 2000, bodyPaceMs: 1000, bodyDeadlineMs: 4000, unreadBodyMs: 3000, answerPaceMs: 1000 }

let berth: TestServer
let open: RawConnection[] = []
let filesAtFirst = 0
beforeAll(async () => {
  berth = await startTestServer({ runs: 'as a process', tuning: TUNING })
  await berth.owner()
  filesAtFirst = (await resourcesOf(berth.pid())).files
})
afterEach(() => {
  for (const { socket } of open) socket.destroy()
  open = []
})
afterAll(async () => await berth[Symbol.asyncDispose]())

async function connections(count: number, options: { localAddress?: string } = {}): Promise<RawConnection[]> {
  const made = await Promise.all(Array.from({ length: count }, async () => await openConnection(berth.baseUrl, options)))
  open.push(...made)
  return made
}
async function isHealthy(): Promise<boolean> {
  return (await berth.raw('GET', '/health')).status === 200
}
/** Sends bytes as fast as they are accepted, whatever the response, until all are sent or the connection is closed. */
async function send({ socket }: RawConnection, bytes: number): Promise<void> {
  const gone = new Promise((resolve) => socket.once('close', resolve))
  const piece = Buffer.alloc(256 * 1024, 'x')
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += piece.length)
    if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone])
}

function upgrade(cookie: string, header = ''): string {
  return `GET /api/ws/events HTTP/1.1\r\nHost: x\r\n${header}Cookie: ${cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
}
/** A frame of a client, masked with zeros. */
function frame(kind: 'text' | 'continuation' | 'ping' | 'pong', text: string, isLast = true): Buffer {
  const code = { continuation: 0, text: 1, ping: 9, pong: 10 }[kind]
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | code, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

describe('bodies of strangers', () => {
  it('of 40 webhooks of 24 MB are refused before they are sent, and hold no memory', async () => {
    const before = (await resourcesOf(berth.pid())).memoryMb
    const all = await connections(40)
    for (const { socket } of all) socket.write(headOf('/api/webhooks/git', 24 * MIB, SIGNATURE))
    const answers = await Promise.all(all.map(async ({ answered }) => await answered))
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*webhook_not_verified/)
    let most = 0
    const sending = Promise.all(all.map(async (connection) => await send(connection, 23 * MIB)))
    const isDone = sending.then(() => true)
    while (!(await Promise.race([isDone, sleep(50, false)]))) {
      most = Math.max(most, (await resourcesOf(berth.pid())).memoryMb)
      expect(await isHealthy()).toBe(true)
    }
    expect(most - before).toBeLessThan(100)
    await Promise.all(all.map(async ({ closed }) => await closed)) // a client that does not stop is disconnected
  })

  it.each(Object.entries<Operation>(operations).filter(([, { may, method }]) => may !== 'anyone' && method !== 'GET'))(
    'are not waited for: %s is refused by the head alone',
    async (_name, { method, path }) => {
      const [connection] = await connections(1)
      connection?.socket.write(headOf(path, 1000).replace('POST', method))
      expect(await connection?.answered).toMatch(/^HTTP\/1\.1 401 /)
    },
  )

  it('are not read for an address where there is nothing, or for another method', async () => {
    for (const [method, path, status] of [
      ['POST', '/api/nothing', 404],
      ['PATCH', '/api/auth/login', 405],
      ['PUT', '/index.html', 404],
    ] as const) {
      const [connection] = await connections(1)
      connection?.socket.write(headOf(path, 1000).replace('POST', method))
      expect(await connection?.answered).toMatch(`HTTP/1.1 ${status} `)
    }
  })

  it('that come drop by drop are closed, 150 of them', async () => {
    const all = await connections(150)
    for (const { socket } of all) socket.write(headOf('/api/auth/login', 1000))
    const dripping = setInterval(() => {
      for (const { socket, isClosed } of all) if (!isClosed()) socket.write('x')
    }, 200)
    try {
      await expect.poll(() => all.filter(({ isClosed }) => !isClosed()).length, { timeout: 30_000 }).toBe(0)
    } finally {
      clearInterval(dripping)
    }
    for (const { answer } of all) expect(answer()).toMatch(/^HTTP\/1\.1 400 [^]*body_too_slow/)
    expect(await isHealthy()).toBe(true)
  })

  it('that keep the pace and never end are closed at the deadline', async () => {
    const { cookie } = await berth.owner()
    const [connection] = await connections(1)
    connection?.socket.write(headOf('/api/projects/create', MIB, { Cookie: cookie }))
    const flowing = setInterval(() => {
      if (connection?.isClosed() === false) connection.socket.write('x'.repeat(2048))
    }, 200)
    try {
      await expect.poll(() => connection?.isClosed(), { timeout: 30_000 }).toBe(true)
    } finally {
      clearInterval(flowing)
    }
    expect(connection?.answer()).toMatch(/^HTTP\/1\.1 400 [^]*body_too_slow/)
  })

  it('share a budget per address; beyond it they get server_busy, and others can still log in', async () => {
    const bytes = 16_000
    const all = await connections(90)
    const head = headOf('/api/auth/login', bytes, { 'X-Forwarded-For': '203.0.113.7' })
    for (const { socket } of all) socket.write(head + 'x'.repeat(bytes - 1))
    await expect.poll(() => all.filter(({ answer }) => answer().includes('server_busy')).length, { timeout: 10_000 }).toBeGreaterThan(0)
    const refused = all.find(({ answer }) => answer().includes('server_busy'))
    expect(refused?.answer()).toMatch(/^HTTP\/1\.1 503 /)
    await refused?.closed
    const login = await berth.raw('POST', '/api/auth/login', { body: OWNER, headers: { 'x-forwarded-for': '203.0.113.8' } })
    expect(login.status).toBe(200)
  })
})

describe('bodies of people', () => {
  it('do not count when the session has ended before they came', async () => {
    const { cookie } = await berth.logIn(OWNER.email, OWNER.password)
    const body = JSON.stringify({ name: 'Too late' })
    const [connection] = await connections(1)
    connection?.socket.write(headOf('/api/projects/create', body.length, { Cookie: cookie }) + body.slice(0, 5))
    expect((await berth.raw('POST', '/api/auth/logout', { cookie })).status).toBe(200)
    connection?.socket.write(body.slice(5))
    expect(await connection?.answered).toMatch(/^HTTP\/1\.1 401 /)
    expect(JSON.stringify(await (await berth.owner()).call('projects.list'))).not.toContain('Too late')
  })

  it('are so many megabytes of one person, and others go on', async () => {
    const [greedy, other] = [await berth.as('greedy'), await berth.owner()]
    const all = await connections(12)
    for (const { socket } of all) socket.write(headOf('/api/projects/create', 1_000_000, { Cookie: greedy.cookie }) + 'x'.repeat(999_999))
    await expect.poll(() => all.filter(({ answer }) => answer().includes('server_busy')).length, { timeout: 10_000 }).toBeGreaterThan(0)
    expect((await other.call('projects.create', { name: 'Goes on' })).name).toBe('Goes on')
  })
})

describe('answers', () => {
  it('that are not read at all are given up', async () => {
    const owner = await berth.owner()
    const { id: projectId } = await owner.call('projects.create', { name: 'Talkative' })
    const { id: appId } = await owner.call('apps.create', { name: 'talker', projectId })
    const { id } = await owner.call('deployments.add', { appId })
    await expect.poll(async () => (await owner.call('deployments.get', { id })).status, { timeout: 20_000 }).toBe('failed')
    await appendFile(path.join(berth.dataDir, 'logs', `d${id}.log`), ` ${'x'.repeat(99)}\n`.repeat(300_000))
    const [connection] = await connections(1)
    connection?.socket.write(`GET /api/deployment/logs/${id} HTTP/1.1\r\nHost: x\r\nCookie: ${owner.cookie}\r\n\r\n`)
    expect(await connection?.answered).toMatch(/^HTTP\/1\.1 200 /)
    connection?.socket.pause()
    const isGone = () => {
      connection?.socket.write('\r\n') // means nothing to a server, and shows whether one is there
      return connection?.isClosed()
    }
    await expect.poll(isGone, { timeout: 30_000, interval: 200 }).toBe(true)
  })
})

describe('connections of strangers', () => {
  it('that never finish the head of a request are closed', async () => {
    const all = await connections(20)
    for (const [n, { socket }] of all.entries()) if (n % 2 === 0) socket.write('POST /api/auth/login HTTP/1.1\r\nHost: x\r\n')
    await expect.poll(() => all.filter(({ isClosed }) => !isClosed()).length, { timeout: 30_000 }).toBe(0)
  })

  it.each([['/openapi.json'], ['/health'], ['/']])(
    'that ask for %s a thousand times and read no answer are closed, and hold no memory',
    async (path) => {
      const before = (await resourcesOf(berth.pid())).memoryMb
      const all = await connections(20)
      const asked = berth.log().split('"msg":"request"').length
      for (const { socket } of all) {
        socket.pause()
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1000))
      }
      await sleep(1000)
      expect(await isHealthy()).toBe(true)
      for (const { socket } of all) socket.resume()
      await Promise.all(all.map(async ({ closed }) => await closed))
      const weight = await resourcesOf(berth.pid())
      expect(weight.memoryMb - before).toBeLessThan(200)
      expect(berth.log().split('"msg":"request"').length - asked).toBeLessThanOrEqual(20 * 9 + 10)
    },
  )

  it('that name no host are told so', async () => {
    const [connection] = await connections(1)
    connection?.socket.write('GET /health HTTP/1.1\r\n\r\n')
    expect(await connection?.answered).toMatch(/^HTTP\/1\.1 400 [^]*no Host header/)
  })

  it('are so many of one address: the oldest goes when one more comes, and the newest is answered', async () => {
    const all = await connections(300, { localAddress: '127.0.0.2' })
    await expect.poll(() => all.filter(({ isClosed }) => !isClosed()).length, { timeout: 10_000 }).toBeLessThanOrEqual(256)
    expect(all[0]?.isClosed()).toBe(true)
    const [newest] = await connections(1, { localAddress: '127.0.0.2' })
    newest?.socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await newest?.answered).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('are nobody else’s: those of people with a session stay', async () => {
    const { cookie } = await berth.owner()
    const own = await connections(40, { localAddress: '127.0.0.3' })
    for (const { socket } of own) socket.write(`GET /api/auth/me HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`)
    for (const { answered } of own) expect(await answered).toMatch(/^HTTP\/1\.1 200 /)
    const crowd = await connections(300, { localAddress: '127.0.0.3' })
    await expect.poll(() => crowd.filter(({ isClosed }) => isClosed()).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(44)
    expect(own.filter(({ isClosed }) => isClosed())).toEqual([])
  })

  it('that ask for a socket without a session are closed by the server, and leave nothing behind', async () => {
    const all = await connections(60)
    for (const [n, { socket }] of all.entries()) {
      const { path } = Object.values(sockets)[n % Object.keys(sockets).length] ?? sockets.events
      const address = path.replaceAll(/:[A-Za-z]+/g, '1')
      socket.write(`GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 1000000\r\n\r\n`)
    }
    for (const { answered } of all) expect(await answered).toMatch(/^HTTP\/1\.1 401 /)
    await Promise.all(all.map(async (connection) => await send(connection, MIB)))
    await expect.poll(async () => (await resourcesOf(berth.pid())).files, { timeout: 20_000 }).toBeLessThan(filesAtFirst + 20)
  })
})

describe('connections of one person', () => {
  it('are so many: the one that was silent longest goes, and the newest is answered', async () => {
    const { cookie } = await berth.as('holder')
    const all: RawConnection[] = []
    for (let n = 0; n < 200; n += 1) {
      const connection = await openConnection(berth.baseUrl)
      all.push(connection)
      open.push(connection)
      const { socket, answered } = connection
      socket.write(`GET /api/auth/me HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`)
      expect(await answered).toMatch(/^HTTP\/1\.1 200 /)
    }
    await expect.poll(() => all.filter(({ isClosed }) => !isClosed()).length, { timeout: 10_000 }).toBeLessThanOrEqual(128)
    expect([all[0]?.isClosed(), all.at(-1)?.isClosed()]).toEqual([true, false])
  })

  it('are so many streams: the next one is refused before it opens, and others open theirs', async () => {
    const { cookie } = await berth.as('holder')
    const all = await connections(140)
    for (const { socket } of all) socket.write(upgrade(cookie))
    const answers = await Promise.all(all.map(async ({ answered }) => await answered))
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 101 '))).toHaveLength(128)
    expect(answers.filter((answer) => /^HTTP\/1\.1 503 [^]*server_busy/.test(answer))).toHaveLength(12)
    const [other] = await connections(1)
    other?.socket.write(upgrade((await berth.owner()).cookie))
    expect(await other?.answered).toMatch(/^HTTP\/1\.1 101 /)
    all[answers.findIndex((answer) => answer.startsWith('HTTP/1.1 101 '))]?.socket.destroy()
    await expect
      .poll(
        async () => {
          const [next] = await connections(1)
          next?.socket.write(upgrade(cookie))
          return (await next?.answered)?.slice(0, 12)
        },
        { timeout: 10_000 },
      )
      .toBe('HTTP/1.1 101')
  })
})

describe('streams', () => {
  async function streams(count: number): Promise<RawConnection[]> {
    const { cookie } = await berth.as('listener')
    const made = await connections(count)
    for (const { socket, answered } of made) {
      socket.write(upgrade(cookie))
      expect(await answered).toMatch(/^HTTP\/1\.1 101 /)
    }
    return made
  }

  it('are not opened by a request that has a body', async () => {
    const { cookie } = await berth.as('listener')
    for (const header of ['Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n']) {
      const [stream] = await connections(1)
      stream?.socket.write(upgrade(cookie, header))
      expect(await stream?.answered).toMatch(/^HTTP\/1\.1 400 [^]*must not have a body/)
    }
  })

  it('answer the pings of a client', async () => {
    const [stream] = await streams(1)
    for (const text of ['hello', 'again']) {
      stream?.socket.write(frame('ping', text))
      await expect.poll(() => stream?.answer()).toContain(text)
    }
  })

  it('that are pinged without end by clients that do not read are closed, and hold no memory', async () => {
    const before = (await resourcesOf(berth.pid())).memoryMb
    const flood = Buffer.concat(Array.from({ length: 10_000 }, () => frame('ping', '')).concat(frame('pong', '')))
    const all = await streams(4)
    for (const { socket } of all) socket.pause()
    await Promise.all(
      all.map(async ({ socket, closed, isClosed }) => {
        for (let sent = 0; sent < 200 && !isClosed(); sent += 1)
          if (!socket.write(flood)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
      }),
    )
    expect((await resourcesOf(berth.pid())).memoryMb - before).toBeLessThan(200)
    expect(all.filter(({ isClosed }) => !isClosed())).toHaveLength(0)
  })

  it('are closed when their client sends a message, or parts of one', async () => {
    const [talker, stutterer] = await streams(2)
    talker?.socket.write(frame('text', 'ping'))
    await talker?.closed
    expect(talker?.answer()).toContain('this stream accepts no messages')
    stutterer?.socket.write(Buffer.concat([frame('text', 'a', false), frame('continuation', 'b', false)]))
    await stutterer?.closed
  })
})
