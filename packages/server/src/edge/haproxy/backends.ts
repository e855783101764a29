import { type PageFormat, type PageName, pageFile } from '../pages.ts'
import { edgePaths } from '../paths.ts'
import { skippingTheLost } from './checks.ts'
import {
  CONNECTIONS_TABLE,
  fallbackSocket,
  HAS_TARGET,
  type HaproxySettings,
  IN_FLIGHT_TABLE,
  IS_FOUND,
  lookUp,
  quote,
  REQUESTS_TABLE,
  SET_DESTINATION,
  timeoutsOf,
} from './terms.ts'

/** Idle connections are dropped well before the five seconds after which Node closes its end. */
const ANY = '  server any 0.0.0.0:0 pool-purge-delay 1s'

/**
 * The tables, and the backends of the apps: `plain-get` for most requests, `safe` for every other GET and HEAD, `unsafe` for requests that
 * may change something, and `fallback` for those whose target failed. One for each format of the error pages, because HAProxy chooses
 * those by backend.
 */
export function backends(settings: HaproxySettings, hasChecks: boolean): string[] {
  return [
    `backend ${IN_FLIGHT_TABLE}`,
    '  stick-table type string len 64 size 100k expire 1h store conn_cur',
    '',
    ...[CONNECTIONS_TABLE, REQUESTS_TABLE].flatMap((name) => [
      `backend ${name}`,
      '  stick-table type ipv6 size 100k expire 2m store conn_cur',
      '',
    ]),
    'backend plain-get',
    ...errorPages(settings, 'html'),
    ...REPEATING,
    ...firstThenFallback(settings),
    '',
    ...(['html', 'json'] as const).flatMap((format) => [
      ...Object.entries({ safe: REPEATING, unsafe: NEVER_REPEATING }).flatMap(([name, connecting]) => [
        `backend ${name}-${format}`,
        ...checking(),
        ...finding(settings, { format, hasChecks }),
        ...errorPages(settings, format),
        ...connecting,
        ...firstThenFallback(settings),
        '',
      ]),
      `backend fallback-${format}`,
      ...finding(settings, { format, hasChecks }),
      ...errorPages(settings, format),
      ...REPEATING,
      '  http-request disable-l7-retry if !METH_GET',
      // an unsafe request arrives here on a connection of its own, and gets a new one to the app
      '  http-reuse never',
      ANY,
      '',
    ]),
  ]
}

/** Rules that a plain GET does not need. */
function checking(): string[] {
  return [
    // HAProxy counts in 64 bits; an app that does not could treat the next visitor's request as the rest of this one
    '  http-request deny deny_status 400 if { req.fhdr(content-length) -m len gt 18 }',
    // through a tunnel other than a WebSocket, the app would get requests exactly as the visitor wrote them
    '  http-request deny deny_status 405 if METH_CONNECT',
    '  http-request del-header Upgrade if !{ req.fhdr(upgrade) -m str -i websocket } or { req.fhdr_cnt(upgrade) gt 1 }',
    '  http-request set-header Connection upgrade if { req.fhdr(upgrade) -m found }',
  ]
}

/** Chooses one of several targets. A request without a target, for whatever reason, gets a page. */
function finding(settings: HaproxySettings, { format, hasChecks }: { format: PageFormat; hasChecks: boolean }): string[] {
  const isOfSeveral = '{ var(txn.count) -m found }'
  const page = (name: PageName, status: number, condition: string) =>
    `  http-request return status ${status} errorfile ${pagePath(settings, name, format)} if ${condition}`
  return [
    page('no-such-app', 404, `!${IS_FOUND}`),
    page('stopped', 503, '{ var(txn.to) -m str stopped }'),
    page('starting', 503, '{ var(txn.to) -m str starting }'),
    page('busy', 503, '{ var(txn.to) -m str busy }'),
    page('too-many', 429, '{ var(txn.to) -m str too-many }'),
    '  http-request set-var(txn.count) var(txn.to),field(2,/)',
    ...(hasChecks ? [`  http-request set-var(txn.set) var(txn.to) if ${isOfSeveral}`] : []),
    `  http-request set-var(txn.replica) rand,mod(txn.count) if ${isOfSeveral}`,
    `  http-request set-var(txn.to) var(txn.to),concat(/,txn.replica),${lookUp(settings, 'targets')} if ${isOfSeveral}`,
    ...(hasChecks ? skippingTheLost(settings, lookUp(settings, 'targets')) : []),
    ...SET_DESTINATION,
    // never forwarded without a destination: if unset, it would be the one the visitor connected to, which is this machine
    page('down', 503, `!${HAS_TARGET}`),
    `  http-request set-timeout server ${timeoutsOf(settings).streamMs}ms if { req.fhdr(accept) -m sub text/event-stream }`,
  ]
}

/**
 * Connections are kept; `safe` never sends a client's first request over a used one, and reuse is keyed on the destination. A request
 * that arrives as the app closes the connection is retried.
 */
const REPEATING = ['  http-reuse safe', '  retry-on conn-failure empty-response']

/**
 * A request that the app may have acted on is never repeated, so it must not arrive on a connection that the app is about to close: each
 * gets a new one. That doubles the work for such a request, and loses none.
 */
const NEVER_REPEATING = ['  http-reuse never', '  option http-server-close', '  retry-on conn-failure']

/** Every request goes to `any`, which has weight 0, so after a failure HAProxy chooses the fallback. */
function firstThenFallback(settings: HaproxySettings): string[] {
  return [
    '  option redispatch 1',
    '  use-server any if TRUE',
    `${ANY} weight 0`,
    // listed twice, because HAProxy waits a second before it retries on the only other server
    ...['fallback-1', 'fallback-2'].map((name) => `  server ${name} ${fallbackSocket(settings)} send-proxy-v2`),
  ]
}

function errorPages(settings: HaproxySettings, format: PageFormat): string[] {
  const pages = { 502: 'unreachable', 503: 'unreachable', 504: 'slow' } as const
  return Object.entries(pages).map(([status, name]) => `  errorfile ${status} ${pagePath(settings, name, format)}`)
}

function pagePath(settings: HaproxySettings, name: PageName, format: PageFormat): string {
  return quote(edgePaths(settings.dir).page(pageFile(name, format)))
}
