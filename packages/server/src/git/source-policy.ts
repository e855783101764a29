import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { kindOfAddress } from '../lib/address-kinds.ts'
import type { CloneUrl } from './clone-url.ts'
import { RepositoryUnreachable, SourceRefused } from './errors.ts'
import { createResolveHost, type ResolveHost } from './resolve-host.ts'

/** An allowed source: its location, and for network sources the one address that was checked and responds. */
export type AdmittedSource = { readonly url: CloneUrl; readonly address: string | null }

type Words = { what: string; privateHint: string }

const ADMINS_ONLY = 'which only an admin can set. An admin can take over the app and set the clone URL again'
const CLONE_URL: Words = { what: 'The clone URL', privateHint: `${ADMINS_ONLY}, or add its host to BERTH_PRIVATE_SOURCES.` }
const ALLOW_HOST = 'which is only allowed for hosts in BERTH_PRIVATE_SOURCES.'
/** A name may have thousands of addresses, none of which answers. */
const MOST_TRIED = 8

export type SourcePolicy = ReturnType<typeof createSourcePolicy>

/**
 * Decides which sources git may access, and for whom. A name is resolved once, every address is checked, and git is pinned to one of
 * them, so that a later DNS answer changes nothing.
 */
export function createSourcePolicy(deps: {
  privateHosts: readonly string[]
  /** Ports of this machine that are Berth's own, whatever the caller may do. */
  ownPorts: () => Promise<readonly number[]>
  connectTimeoutMs?: number
  resolveHost?: ResolveHost
}) {
  const { privateHosts, ownPorts, connectTimeoutMs = 10_000, resolveHost = createResolveHost() } = deps

  async function admit(url: CloneUrl, caller: { privileged: boolean; signal?: AbortSignal }): Promise<AdmittedSource> {
    if (url.kind === 'file') {
      if (!caller.privileged) throw new SourceRefused(`The clone URL points to files on the server (file://), ${ADMINS_ONLY}.`)
      return { url, address: null }
    }
    const mayBePrivate = caller.privileged || privateHosts.includes(url.host)
    const addresses = await resolve(resolveHost, url.host, { timeoutMs: connectTimeoutMs, signal: caller.signal })
    const isOwnPort = (await ownPorts()).includes(url.port)
    for (const address of addresses) judge({ address, isOwnPort, mayBePrivate, words: CLONE_URL })
    return { url, address: await firstThatAnswers(addresses, url.port, caller.signal) }
  }

  /** For downloads without a user, such as those of a build. `what` is the beginning of the error message. */
  async function admitHost(target: { host: string; port: number }, options: { what: string; signal?: AbortSignal }): Promise<void> {
    const { what, signal } = options
    const mayBePrivate = privateHosts.includes(target.host)
    const isOwnPort = (await ownPorts()).includes(target.port)
    for (const address of await resolve(resolveHost, target.host, { timeoutMs: connectTimeoutMs, signal }))
      judge({ address, isOwnPort, mayBePrivate, words: { what, privateHint: ALLOW_HOST } })
  }

  function judge(target: { address: string; isOwnPort: boolean; mayBePrivate: boolean; words: Words }): void {
    const { what, privateHint } = target.words
    const kind = kindOfAddress(target.address)
    if (kind === 'forbidden')
      throw new SourceRefused(`${what} points to an address that is never allowed (link-local or a metadata service).`)
    if (target.isOwnPort && isThisMachine(target.address)) throw new SourceRefused(`${what} points to Berth itself.`)
    if (kind !== 'public' && !target.mayBePrivate) throw new SourceRefused(`${what} points to a private address, ${privateHint}`)
  }

  async function firstThatAnswers(addresses: readonly string[], port: number, signal: AbortSignal | undefined): Promise<string> {
    let last: unknown
    for (const address of addresses.slice(0, MOST_TRIED)) {
      try {
        await tryConnect({ address, port, timeoutMs: connectTimeoutMs }, signal)
        return address
      } catch (cause) {
        signal?.throwIfAborted()
        last = cause
      }
    }
    throw new RepositoryUnreachable('The git host does not accept connections. Check the clone URL, or try again later.', {
      isTransient: true,
      cause: last,
    })
  }

  return { admit, admitHost }
}

type Within = { timeoutMs: number; signal: AbortSignal | undefined }

async function resolve(resolveHost: ResolveHost, host: string, { timeoutMs, signal }: Within): Promise<string[]> {
  const over = new AbortController() // also of what still waits for its turn
  const until = AbortSignal.any([over.signal, ...(signal ? [signal] : [])])
  try {
    const found = await Promise.race([resolveHost(host, { timeoutMs, signal: until }), givenUp(timeoutMs, until)])
    signal?.throwIfAborted()
    if (found.length > 0) return found
  } catch (cause) {
    signal?.throwIfAborted()
    throw new RepositoryUnreachable(`The host "${host}" of the clone URL could not be found. Check its spelling.`, {
      isTransient: true,
      cause,
    })
  } finally {
    over.abort()
  }
  throw new RepositoryUnreachable(`The host "${host}" of the clone URL has no address.`)
}

/** Rejects on a timeout or an abort, which the machine's resolver does not support. */
async function givenUp(timeoutMs: number, signal: AbortSignal): Promise<never> {
  await wait(timeoutMs, undefined, { ref: false, signal })
  throw new Error('the name server did not answer in time')
}

function isThisMachine(address: string): boolean {
  if (kindOfAddress(address) === 'loopback') return true
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address.toLowerCase() === plain))
}

function tryConnect(target: { address: string; port: number; timeoutMs: number }, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: target.address, port: target.port, ...(signal === undefined ? {} : { signal }) })
    const finish = (failure?: Error) => {
      socket.destroy()
      if (failure === undefined) resolve()
      else reject(failure)
    }
    socket.setTimeout(target.timeoutMs, () => finish(new Error('connect timed out')))
    socket.once('connect', () => finish())
    socket.once('error', finish)
  })
}
