import { request } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import { checkDns, type DnsCheck, type Resolve } from './dns-check.ts'
import type { Edge } from './edge.ts'

export type PreflightDeps = {
  edge: Pick<Edge, 'addChallenge' | 'removeChallenge'>
  resolve: Resolve
  /** This server's own addresses, as the world sees them. */
  addresses: () => readonly string[]
  newToken: () => string
  /** 80, wherever the world looks. */
  port?: number
  timeoutMs?: number
}

/** Addresses that no name of the world may make us talk to, unless they are our own. */
const NEVER = new BlockList()
NEVER.addSubnet('127.0.0.0', 8)
NEVER.addSubnet('169.254.0.0', 16)
NEVER.addSubnet('0.0.0.0', 8)
NEVER.addAddress('::1', 'ipv6')
NEVER.addSubnet('fe80::', 10, 'ipv6')

/** What the certificate authority will see, seen beforehand: failed orders are counted against us, failed looks are not. */
export function createPreflight(deps: PreflightDeps) {
  const { edge, resolve, addresses, newToken, port = 80, timeoutMs = 5_000 } = deps

  /** Undefined when a challenge would be answered, otherwise a sentence that says what is wrong. */
  async function problem(host: string): Promise<string | undefined> {
    const dns = await checkDns(host, { resolve, addresses: addresses() })
    const [address] = dns.found
    if (address === undefined) return dns.dnsError ?? `${host} has no address.`
    const other = await otherThanUs(host, address)
    return other && (dns.dnsError ?? other)
  }

  /** Does the name point here? By its address, or else by who answers there: a router that translates, or a proxy, may stand in front. */
  async function check(host: string): Promise<DnsCheck> {
    const dns = await checkDns(host, { resolve, addresses: addresses() })
    if (dns.dnsStatus !== 'wrong' || dns.found.length === 0) return dns
    for (const address of dns.found) {
      const other = await otherThanUs(host, address).catch(() => 'no edge to ask')
      if (other !== undefined) return dns
    }
    return { ...dns, dnsStatus: 'ok', dnsError: null }
  }

  /** Undefined when this server answers at the address, otherwise what does not. */
  async function otherThanUs(host: string, address: string): Promise<string | undefined> {
    if (NEVER.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') && !addresses().includes(address))
      return `${host} points to ${address}, which is not an address of this server.`
    const token = newToken()
    await edge.addChallenge(token, `${token}.check`)
    try {
      const answer = await fetchToken(host, { address, token })
      return answer === `${token}.check` ? undefined : `Port ${port} of ${host} is answered by something else than this server.`
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      return `Port ${port} of ${host} does not answer (${reason}). Open it in the firewall.`
    } finally {
      await edge.removeChallenge(token)
    }
  }

  /** Connects to the address that was judged, whatever the name says a moment later. */
  function fetchToken(host: string, at: { address: string; token: string }): Promise<string> {
    return new Promise((done, fail) => {
      const path = `/.well-known/acme-challenge/${at.token}`
      const req = request({ host: at.address, port, path, headers: { host }, agent: false, timeout: timeoutMs }, (res) => {
        let body = ''
        res.setEncoding('utf8')
        res.on('data', (chunk: string) => (body.length < 1_000 ? (body += chunk) : req.destroy()))
        res.on('end', () => done(body))
        res.on('error', fail)
      })
      req.on('timeout', () => req.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
      req.on('error', fail)
      req.end()
    })
  }

  return { problem, check }
}
