import { type ChildProcess, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { selfSignedCertificate } from '../../src/edge/certificates/placeholder.ts'
import { startAcmeProxy } from './acme-proxy.ts'
import { freePort } from './listening.ts'

export type Pebble = {
  directoryUrl: string
  /** The hosts that were ordered, in order. */
  orders: readonly string[]
  /** From now on orders of this host are answered with 429. */
  limit(host: string, retryAfterSeconds: number): void
  /** From now on all orders are, as if the account had too many; undefined ends it. */
  limitAccount(retryAfterSeconds: number | undefined): void
  /** For talking to Pebble itself. */
  ca: string
  /** The root of what Pebble issues. */
  root: string
  /** Whose name stands on what Pebble issues: not the root's. */
  issuer: string
  dnsServer: string
  /** Every name points to 127.0.0.1 unless set otherwise. */
  pointTo(host: string, addresses: string[]): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

type Options = {
  /** Where it looks for challenges. */
  httpPort: number
  /** How long its certificates are valid; years, unless told otherwise. */
  lifeSeconds?: number
  /** The certificate of another one, if both should be trusted: of two with the same name, only one is used. */
  ca?: string
}

/** Let's Encrypt's own test authority, with a name server, on free loopback ports. */
export async function startPebble(options: Options): Promise<Pebble> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-pebble-'))
  const [port, managementPort, dnsPort, dnsManagementPort] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const ca = options.ca ?? ownCertificate()
  await writeFile(join(dir, 'tls.pem'), ca)
  const config = {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: join(dir, 'tls.pem'),
      privateKey: join(dir, 'tls.pem'),
      httpPort: options.httpPort,
      tlsPort: 1,
      ocspResponderURL: '',
      externalAccountBindingRequired: false,
      ...(options.lifeSeconds !== undefined && { certificateValidityPeriod: options.lifeSeconds }),
    },
  }
  await writeFile(join(dir, 'config.json'), JSON.stringify(config))
  const dnsServer = `127.0.0.1:${dnsPort}`
  const names = run('pebble-challtestsrv', [
    '-dns01',
    dnsServer,
    '-management',
    `127.0.0.1:${dnsManagementPort}`,
    '-http01',
    '',
    '-https01',
    '',
    '-tlsalpn01',
    '',
    '-defaultIPv6',
    '',
  ])
  const pebble = run('pebble', ['-config', join(dir, 'config.json'), '-dnsserver', dnsServer])
  const front = await startAcmeProxy({ port, pem: ca })
  const stop = async () => {
    front.close()
    await Promise.all([end(names), end(pebble)])
    await rm(dir, { recursive: true, force: true })
  }
  const tell = async (verb: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${dnsManagementPort}/${verb}`, { method: 'POST', body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`the name server refused: ${await answer.text()}`)
  }
  try {
    const root = await untilAnswered(() => get(`https://localhost:${managementPort}/roots/0`, ca))
    const issuer = new X509Certificate(await get(`https://localhost:${managementPort}/intermediates/0`, ca)).subject.replace(/^CN=/, '')
    await untilAnswered(() => tell('clear-a', { host: 'x.' }))
    return {
      directoryUrl: `https://localhost:${front.port}/dir`,
      orders: front.orders,
      limit: front.limit,
      limitAccount: front.limitAccount,
      ca,
      root,
      issuer,
      dnsServer,
      async pointTo(host, addresses) {
        await tell('clear-a', { host: `${host}.` })
        await tell('add-a', { host: `${host}.`, addresses })
      },
      [Symbol.asyncDispose]: stop,
    }
  } catch (cause) {
    await stop()
    throw cause
  }
}

function ownCertificate(): string {
  const dayMs = 86_400_000
  return selfSignedCertificate({ host: 'localhost', notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) })
}

function run(command: string, args: string[]): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '', PEBBLE_VA_NOSLEEP: '1' }
  return spawn(command, args, { stdio: 'ignore', env })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function get(url: string, ca: string): Promise<string> {
  const req = request(url, { ca, agent: false })
  req.end()
  const [res] = (await once(req, 'response')) as [IncomingMessage] // the event's only argument
  return text(res)
}

async function untilAnswered<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await look()
    } catch (cause) {
      if (tries > 200) throw cause
      await sleep(50)
    }
  }
}
