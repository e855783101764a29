import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createResolveHost } from './resolve-host.ts'

const within = { timeoutMs: 5000, signal: undefined }
const NOT_FOUND = 3

/** A name server: `fast.test` has an address, `none.test` does not exist, and for every other name there is no answer. */
async function startNameServer() {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const name = nameIn(query)
    asked.push(name)
    const isAddress = query.readUInt16BE(query.indexOf(0, 12) + 1) === 1
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    if (name === 'fast.test') socket.send(answer(query, { question, code: 0, ip: isAddress ? [192, 0, 2, 7] : undefined }), port, address)
    if (name === 'none.test') socket.send(answer(query, { question, code: NOT_FOUND, ip: undefined }), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { servers: [`127.0.0.1:${socket.address().port}`], asked, [Symbol.dispose]: () => void socket.close() }
}

function nameIn(query: Buffer): string {
  const labels: string[] = []
  for (let at = 12; query[at] !== 0; at += (query[at] ?? 0) + 1) labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
  return labels.join('.').toLowerCase()
}

function answer(query: Buffer, { question, code, ip }: { question: Buffer; code: number; ip: number[] | undefined }): Buffer {
  const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80 | code, 0, 1, 0, ip ? 1 : 0, 0, 0, 0, 0])
  return Buffer.concat([head, question, Buffer.from(ip ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...ip] : [])])
}

it('names whose server never answers hold up no others, and the machine is not asked about them', async () => {
  using nameServer = await startNameServer()
  const atMachine: string[] = []
  const resolveHost = createResolveHost({
    servers: nameServer.servers,
    askMachine: async (host) => {
      atMachine.push(host)
      return []
    },
  })
  const cancel = new AbortController()
  const hanging = Array.from(
    { length: 200 },
    async (_, n) => await resolveHost(`x${n}.slow.test`, { timeoutMs: 60_000, signal: cancel.signal }),
  )
  const ended = Promise.allSettled(hanging)
  await expect.poll(() => nameServer.asked.length).toBeGreaterThan(200)
  expect(await resolveHost('fast.test', within)).toEqual(['192.0.2.7'])
  await expect(resolveHost('y.slow.test', { ...within, timeoutMs: 300 })).rejects.toThrow(/ETIMEOUT|ECANCELLED/)
  cancel.abort()
  expect(new Set((await ended).map(({ status }) => status))).toEqual(new Set(['rejected']))
  expect(atMachine).toEqual([])
})

it('the machine is asked about names that its name servers do not know, two at a time', async () => {
  using nameServer = await startNameServer()
  let running = 0
  let most = 0
  const resolveHost = createResolveHost({
    servers: nameServer.servers,
    askMachine: async (host) => {
      most = Math.max(most, (running += 1))
      await new Promise((resolve) => setTimeout(resolve, 20))
      running -= 1
      return host === 'none.test' ? ['192.0.2.9'] : []
    },
  })
  const found = await Promise.all(Array.from({ length: 6 }, async () => await resolveHost('none.test', within)))
  expect(found).toEqual(Array.from({ length: 6 }, () => ['192.0.2.9']))
  expect(most).toBe(2)
})

it('a name in the file of hosts has the addresses there', async () => {
  const hostsFile = path.join(await mkdtemp(path.join(tmpdir(), 'berth-hosts-')), 'hosts')
  await writeFile(hostsFile, '127.0.0.1 localhost\n192.0.2.1\tgit.corp  Git # 192.0.2.2 git.corp\n::1 git.corp\n# 192.0.2.3 git\n')
  const resolveHost = createResolveHost({ servers: ['127.0.0.1:9'], hostsFile, askMachine: async () => [] })
  expect(await resolveHost('git.corp', within)).toEqual(['192.0.2.1', '::1'])
  expect(await resolveHost('git', within)).toEqual(['192.0.2.1'])
  expect(await resolveHost('192.0.2.8', within)).toEqual(['192.0.2.8'])
})
