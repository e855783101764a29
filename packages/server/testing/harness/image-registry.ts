import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { engineSocketPath } from './engine-proxy.ts'
import { letEngineReach } from './engine-reach.ts'
import { freePort, untilItListens } from './listening.ts'
import { ownAddress } from './own-address.ts'

const run = promisify(execFile)
const PUBLISHER = { name: 'publisher', password: 'the-password-of-the-publisher' }

/**
 * Debian's registry, for those with a password. Over TLS the engine trusts its certificate, as that of a company's own registry. The engine's
 * builder reads such certificates only when the engine starts; it speaks plain http to loopback.
 */
export async function startImageRegistry({ over = 'tls', at }: { over?: 'tls' | 'http'; at?: string } = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-registry-'))
  const port = await freePort()
  const closeWay = await letEngineReach(port)
  const address = at ?? (over === 'tls' ? ownAddress() : '127.0.0.1')
  const host = `${address}:${port}`
  const trusted = path.join('/etc/docker/certs.d', host)
  const users = path.join(directory, 'users')
  const passwords = new Map<string, string>()
  await setPassword(PUBLISHER.name, PUBLISHER.password)
  const [key, chain] = [path.join(directory, 'key.pem'), path.join(directory, 'chain.pem')]
  const names = ['-subj', '/CN=registry', '-addext', `subjectAltName=IP:${address}`]
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, '-keyout', key, '-out', chain])
  await mkdir(trusted, { recursive: true })
  await copyFile(chain, path.join(trusted, 'ca.crt'))
  await writeFile(path.join(directory, 'config.yml'), configOf(directory, host, over))
  const auth = Buffer.from(`${PUBLISHER.name}:${PUBLISHER.password}`).toString('base64')
  await writeFile(path.join(directory, 'config.json'), JSON.stringify({ auths: { [host]: { auth } } }))
  const child = spawn('docker-registry', ['serve', path.join(directory, 'config.yml')], { stdio: 'ignore' })
  await untilItListens(port, address)

  /** The registry reads its file again when it has changed. */
  async function setPassword(name: string, password: string): Promise<void> {
    passwords.set(name, password)
    const lines = await Promise.all(
      [...passwords].map(async ([user, word]) => (await run('htpasswd', ['-nbB', '-C', '4', user, word])).stdout.trim()),
    )
    await writeFile(users, `${lines.join('\n')}\n`)
  }

  async function docker(...words: string[]): Promise<string> {
    const { stdout } = await run('docker', ['--config', directory, '-H', `unix://${engineSocketPath()}`, ...words])
    return stdout.trim()
  }

  return {
    host,
    address,
    publisher: PUBLISHER,
    setPassword,
    /** Publishes an image of the engine. The engine does not keep the name. Gives the digest. */
    async push(local: string, name: string): Promise<string> {
      const target = `${host}/${name}`
      await docker('tag', local, target)
      const said = await docker('push', target)
      await docker('rmi', target)
      return /digest: (sha256:[0-9a-f]{64})/.exec(said)?.[1] ?? ''
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
      await closeWay()
      for (const made of [directory, trusted]) await rm(made, { recursive: true, force: true })
    },
  }
}

export type ImageRegistry = Awaited<ReturnType<typeof startImageRegistry>>

function configOf(directory: string, host: string, over: 'tls' | 'http'): string {
  const tls = { certificate: path.join(directory, 'chain.pem'), key: path.join(directory, 'key.pem') }
  return JSON.stringify({
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: path.join(directory, 'images') } },
    http: { addr: host, ...(over === 'tls' && { tls }) },
    auth: { htpasswd: { realm: 'test', path: path.join(directory, 'users') } },
  })
}
