import { request } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import { kindOfAddress } from '../../lib/address-kinds.ts'
import { errorCode } from '../../lib/error-code.ts'
import { limitInterim } from '../../lib/limit-interim.ts'
import type { Edge } from '../edge.ts'
import { checkDns, type DnsCheck, judgeDns, type Resolve } from './dns-check.ts'

export type PreflightDeps = {
  edge: Pick<Edge, 'addChallenge' | 'removeChallenge'>
  resolve: Resolve
  /** This server's own addresses, as the world sees them. */
  addresses: () => readonly string[]
  newToken: () => string
  /** Whether we may connect there on behalf of a user. Our own addresses are always allowed. */
  isPublic?: (address: string) => boolean
  /** 80, except in tests. */
  port?: number
  /** For all addresses of a name together: a slow server must not delay the checks of other names. */
  timeoutMs?: number
}

type Question = { address: string; token: string; signal: AbortSignal }

/** The error codes of a connection attempt on a machine without IPv6. */
const NO_WAY = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'])
const MAX_ANSWER = 1_000

/** Checks in advance what the certificate authority will check: failed orders count against our rate limit, failed checks do not. */
export function createPreflight(deps: PreflightDeps) {
  const { edge, resolve, addresses, newToken, port = 80, timeoutMs = 5_000 } = deps
  const { isPublic = (address: string) => kindOfAddress(address) === 'public' } = deps

  /** Returns undefined if a challenge would succeed, otherwise what is wrong. */
  async function problem(host: string): Promise<string | undefined> {
    const dns = await checkDns(host, { resolve, addresses: addresses() })
    if (dns.found.length === 0) return dns.dnsError ?? `${host} has no address.`
    const other = await otherThanUs(host, dns.found)
    return other && (judgeDns(host, { found: [other.address], addresses: addresses() }).dnsError ?? other.reason)
  }

  /** Does the name point here? Judged by its address, or else by who answers there: there may be NAT or a proxy in front. */
  async function check(host: string): Promise<DnsCheck> {
    const dns = await checkDns(host, { resolve, addresses: addresses() })
    if (dns.dnsStatus !== 'wrong' || dns.found.length === 0) return dns
    const other = await otherThanUs(host, dns.found).catch(() => 'no proxy to ask')
    return other === undefined ? { ...dns, dnsStatus: 'ok', dnsError: null } : dns
  }

  /**
   * Returns undefined if this server answers at every address, otherwise the first one where it does not: the authority may use any of
   * them.
   */
  async function otherThanUs(host: string, found: readonly string[]): Promise<{ address: string; reason: string } | undefined> {
    const own = addresses()
    const never = found.find((address) => !isPublic(address) && !own.includes(address))
    if (never !== undefined) return { address: never, reason: `${host} points to ${never}, which is not an address of this server.` }
    // a proxy has both IPv4 and IPv6 addresses, and a machine without IPv6 can only check one of them; without a proxy the other record
    // is wrong
    const isProxied = found.some(isIPv4) && !found.some((address) => own.includes(address))
    const token = newToken()
    try {
      await edge.addChallenge(token, `${token}.check`)
      const signal = AbortSignal.timeout(timeoutMs)
      for (const address of found) {
        const reason = await reasonAt(host, { address, token, signal, isProxied })
        if (reason !== undefined) return { address, reason }
      }
      return undefined
    } finally {
      await edge.removeChallenge(token)
    }
  }

  async function reasonAt(host: string, at: Question & { isProxied: boolean }): Promise<string | undefined> {
    const name = `Port ${port} of ${host} at ${at.address}`
    try {
      const answer = await fetchToken(host, { ...at, port })
      return answer === `${at.token}.check` ? undefined : `${name} is answered by something other than this server.`
    } catch (cause) {
      if (at.isProxied && isIPv6(at.address) && hasNoWay(cause)) return undefined
      const reason = at.signal.aborted ? `no answer within ${timeoutMs / 1000} s` : cause instanceof Error ? cause.message : String(cause)
      return `${name} does not answer (${reason}). Open it in the firewall.`
    }
  }

  return { problem, check }
}

function hasNoWay(cause: unknown): boolean {
  return NO_WAY.has(errorCode(cause) ?? '')
}

/** Connects to the address that was checked, even if the name resolves differently now. */
function fetchToken(host: string, { address, port, token, signal }: Question & { port: number }): Promise<string> {
  return new Promise((done, fail) => {
    const path = `/.well-known/acme-challenge/${token}`
    const req = request({ host: address, port, path, headers: { host }, agent: false, signal }, (res) => {
      let body = ''
      res.setEncoding('utf8')
      res.on('data', (chunk: string) => {
        body += chunk
        if (body.length < MAX_ANSWER) return
        done(body)
        req.destroy()
      })
      res.on('end', () => done(body))
      res.on('error', fail)
    })
    limitInterim(req)
    req.on('error', fail)
    // the only event after a response that switches protocols
    req.on('close', () => fail(new Error('the connection was closed')))
    req.end()
  })
}
