import { Resolver } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { errorCode } from '../lib/error-code.ts'
import { createSemaphore } from '../lib/semaphore.ts'

type Deps = {
  /** Those of the machine, unless a test has its own. */
  servers?: readonly string[]
  hostsFile?: string
  /** As the machine resolves names itself, by whatever means. */
  askMachine?: (host: string) => Promise<string[]>
}
type Within = { timeoutMs: number; signal: AbortSignal | undefined }

const TRIES = 2
/** The name server did not answer. */
const SLOW = new Set(['ETIMEOUT', 'ESERVFAIL', 'ECANCELLED'])
const MOST_AT_MACHINE = 2

/**
 * The addresses of a name. The machine's own resolver takes a thread for as long as a name server lets it wait, and there are few: names
 * that somebody made for this would keep everybody else from looking up theirs. So name servers are asked without a thread, and the machine
 * only about names that they do not know, two at a time.
 */
export function createResolveHost({ servers, hostsFile = '/etc/hosts', askMachine = lookUp }: Deps = {}) {
  const atMachine = createSemaphore(MOST_AT_MACHINE)

  return async function resolveHost(host: string, within: Within): Promise<string[]> {
    if (isIP(host) !== 0) return [host]
    const listed = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), host)
    if (listed.length > 0) return listed
    const answers = await ask(host, within, servers)
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const slow = answers.find((answer) => answer.status === 'rejected' && SLOW.has(errorCode(answer.reason) ?? ''))
    if (slow?.status === 'rejected') throw slow.reason
    return await atMachine.run(async () => {
      within.signal?.throwIfAborted()
      return await askMachine(host)
    })
  }
}

export type ResolveHost = ReturnType<typeof createResolveHost>

/** A resolver for each name: the name servers of the machine may have changed. */
async function ask(host: string, { timeoutMs, signal }: Within, servers: readonly string[] | undefined) {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / TRIES), tries: TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  const timer = setTimeout(cancel, timeoutMs)
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    const of = (type: 'A' | 'AAAA') =>
      new Promise<string[]>((resolve, reject) => {
        const done = (failure: Error | null, found: string[]) => (failure === null ? resolve(found) : reject(failure))
        if (type === 'A') resolver.resolve4(host, done)
        else resolver.resolve6(host, done)
      })
    return await Promise.allSettled([of('A'), of('AAAA')])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

async function lookUp(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

function addressesIn(hosts: string, host: string): string[] {
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) !== 0 && names.some((name) => name.toLowerCase() === host) ? [address] : []
  })
}
