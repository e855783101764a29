import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import type { EdgeApp, EdgeCertificate, EdgeHostName, EdgeRelease, EdgeRoutes, EdgeTarget } from './edge.ts'
import type { MapName } from './paths.ts'

export type EdgeMaps = { readonly maps: Record<MapName, Map<string, string>>; readonly refused: string[] }
export type EdgeWanted = {
  readonly routes: EdgeRoutes
  readonly certificates: readonly EdgeCertificate[]
  readonly challenges: ReadonlyMap<string, string>
}

/** Used instead of an app key for the host of the dashboard itself. */
export const DASHBOARD_KEY = 'dashboard'

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`)
const KEY = /^[A-Za-z0-9_-]{1,80}$/
const TOKEN = /^[A-Za-z0-9_-]{1,200}$/
const ANSWER = /^[A-Za-z0-9_.-]{1,400}$/

/** The normalised host: lower case, no trailing dot. Undefined if it is not a plain DNS name. */
export function routableHost(host: string): string | undefined {
  const plain = host.toLowerCase().replace(/\.$/, '')
  return plain.length <= 253 && HOST.test(plain) && isIP(plain) === 0 ? plain : undefined
}

/**
 * The maps depend on the wanted routes only: the same routes give the same maps.
 *   hosts       host → app key | flags (r: to https, n: has neighbours, s: HSTS), in this order
 *   apps        app key → the name of a page, or a target set, followed by ! and the fallback set while there is one
 *   targets     target set / replica → ip | port, for sets of several; target set > ip | port → the next one, for when that one fails
 *   challenges  token → answer
 * A set is named by its contents, so a switch writes the new set beside the old one and then moves one entry of `apps`.
 * A set of one is its only member, ip | port: most requests need no more than that.
 */
export function edgeMaps(wanted: EdgeWanted): EdgeMaps {
  const maps = {
    hosts: new Map<string, string>(),
    apps: new Map<string, string>(),
    targets: new Map<string, string>(),
    challenges: new Map<string, string>(),
  }
  const refused: string[] = []
  const secured = new Set(wanted.certificates.map((certificate) => certificate.host))
  for (const app of inOrder(wanted.routes)) {
    const problem = appProblem(app, maps.apps)
    if (problem !== undefined) {
      refused.push(problem)
      continue
    }
    maps.apps.set(app.appKey, addTargets(app, maps.targets))
    for (const name of app.hosts) {
      const hostProblem = addHost(app.appKey, name, { hosts: maps.hosts, secured })
      if (hostProblem !== undefined) refused.push(hostProblem)
    }
  }
  for (const [token, answer] of wanted.challenges) {
    if (TOKEN.test(token) && ANSWER.test(answer)) maps.challenges.set(token, answer)
    else refused.push(`The challenge token ${JSON.stringify(token)} contains characters that a token cannot have.`)
  }
  return { maps, refused }
}

/** The dashboard first, so that no app can take its host; then by key, so that the result does not depend on the order given. */
function inOrder(routes: EdgeRoutes): EdgeApp[] {
  const apps = [...routes.apps].sort((a, b) => (a.appKey < b.appKey ? -1 : 1))
  if (routes.dashboard === undefined) return apps
  const { host, target } = routes.dashboard
  return [{ appKey: DASHBOARD_KEY, hosts: [host], targets: [target] }, ...apps]
}

function appProblem(app: EdgeApp, known: ReadonlyMap<string, string>): string | undefined {
  if (!KEY.test(app.appKey)) return `The app key ${JSON.stringify(app.appKey)} is not made of letters, digits, - and _.`
  if (known.has(app.appKey)) return `The app key ${app.appKey} is listed twice.`
  const bad = [...app.targets, ...(app.fallback ?? [])].find((target) => !isTarget(target))
  return bad === undefined ? undefined : `The target ${JSON.stringify(bad)} of ${app.appKey} is not an address and port.`
}

function isTarget(target: EdgeTarget): boolean {
  return isIP(target.ip) !== 0 && !target.ip.includes('%') && Number.isInteger(target.port) && target.port > 0 && target.port < 65_536
}

function addTargets(release: EdgeRelease, targets: Map<string, string>): string {
  if (release.page !== undefined) return release.page
  if (release.targets.length === 0) return 'down'
  const sets = [release.targets, release.fallback ?? []].filter((each) => each.length > 0)
  return sets.map((each) => addSet(each, targets)).join('!')
}

function addSet(members: readonly EdgeTarget[], targets: Map<string, string>): string {
  const { set, lines } = targetSet(members)
  if (lines.length === 1) return set
  for (const [replica, line] of lines.entries()) {
    targets.set(`${set}/${replica}`, line)
    targets.set(`${set}>${line}`, lines[(replica + 1) % lines.length] ?? line)
  }
  return set
}

/** The key of a set of several: a hash / their number. */
export function targetSet(targets: readonly EdgeTarget[]): { set: string; lines: string[] } {
  const lines = targets.map((target) => `${target.ip}|${target.port}`).sort()
  const [only, second] = lines
  if (only !== undefined && second === undefined) return { set: only, lines }
  return { set: `${hash('sha256', lines.join(' '), 'hex').slice(0, 16)}/${lines.length}`, lines }
}

function addHost(
  appKey: string,
  name: EdgeHostName,
  into: { hosts: Map<string, string>; secured: ReadonlySet<string> },
): string | undefined {
  const host = routableHost(name.host)
  if (host === undefined) return `The host ${JSON.stringify(name.host.slice(0, 300))} is not a plain DNS name.`
  const taken = into.hosts.get(host)
  if (taken !== undefined) return `The host ${host} of ${appKey} is already routed to ${taken.split('|', 1).join('')}.`
  const secured = into.secured.has(host)
  const flags = { r: secured && name.redirectHttps, n: name.hasNeighbours, s: secured && name.hsts }
  const set = Object.entries(flags).flatMap(([flag, isSet]) => (isSet === true ? [flag] : []))
  into.hosts.set(host, `${appKey}|${set.join('')}`)
  return undefined
}

/** A map as HAProxy reads it when it starts. Sorted, so that the same map gives the same file. */
export function mapFile(map: ReadonlyMap<string, string>): string {
  return [...map]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key} ${value}\n`)
    .join('')
}

/** The certificate list as HAProxy reads it. The host is named on each line, so a certificate is never used for another host. */
export function certificateListFile(certificates: readonly EdgeCertificate[]): string {
  return [...certificates]
    .sort((a, b) => (a.host < b.host ? -1 : 1))
    .map(({ path, host }) => `${path} ${host}\n`)
    .join('')
}
