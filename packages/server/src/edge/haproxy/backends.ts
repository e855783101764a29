import { type PageFormat, type PageName, pageFile } from '../pages.ts'
import { edgePaths } from '../paths.ts'
import {
  againSocket,
  CONNECTIONS_TABLE,
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

/** Idle connections go well before the five seconds after which Node closes its end. */
const ANY = '  server any 0.0.0.0:0 pool-purge-delay 1s'

/**
 * The tables, and the ways to the apps: plain visits, what else is read, what may change something (`acts`), and what met a dead
 * target (`again`). One for each format of the error pages, because HAProxy chooses those by backend.
 */
export function backends(settings: HaproxySettings): string[] {
  return [
    `backend ${IN_FLIGHT_TABLE}`,
    '  stick-table type string len 64 size 100k expire 1h store conn_cur',
    '',
    ...[CONNECTIONS_TABLE, REQUESTS_TABLE].flatMap((name) => [
      `backend ${name}`,
      '  stick-table type ipv6 size 100k expire 2m store conn_cur',
      '',
    ]),
    'backend visits',
    ...errorPages(settings, 'html'),
    ...REPEATING,
    ...firstThenAgain(settings),
    '',
    ...(['html', 'json'] as const).flatMap((format) => [
      ...Object.entries({ reads: REPEATING, acts: NEVER_REPEATING }).flatMap(([name, connecting]) => [
        `backend ${name}-${format}`,
        ...checking(),
        ...finding(settings, format),
        ...errorPages(settings, format),
        ...connecting,
        ...firstThenAgain(settings),
        '',
      ]),
      `backend again-${format}`,
      ...finding(settings, format),
      ...errorPages(settings, format),
      ...REPEATING,
      '  http-request disable-l7-retry if !METH_GET',
      // what may change something brings a connection of its own here, and gets one
      '  http-reuse never',
      ANY,
      '',
    ]),
  ]
}

/** What a visit has nothing of. */
function checking(): string[] {
  return [
    // HAProxy counts in 64 bits; an app that does not would take the next visitor's request for the rest of this one
    '  http-request deny deny_status 400 if { req.fhdr(content-length) -m len gt 18 }',
    // through a tunnel that is no WebSocket, requests would come to the app as the visitor wrote them
    '  http-request deny deny_status 405 if METH_CONNECT',
    '  http-request del-header Upgrade if !{ req.fhdr(upgrade) -m str -i websocket } or { req.fhdr_cnt(upgrade) gt 1 }',
    '  http-request set-header Connection upgrade if { req.fhdr(upgrade) -m found }',
  ]
}

/** One target of several. Whatever has none, for whichever reason, ends in a page. */
function finding(settings: HaproxySettings, format: PageFormat): string[] {
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
    `  http-request set-var(txn.replica) rand,mod(txn.count) if ${isOfSeveral}`,
    `  http-request set-var(txn.to) var(txn.to),concat(/,txn.replica),${lookUp(settings, 'targets')} if ${isOfSeveral}`,
    ...SET_DESTINATION,
    // never to the apps without a destination: an unset one would be the visitor's own, which is this machine
    page('down', 503, `!${HAS_TARGET}`),
    `  http-request set-timeout server ${timeoutsOf(settings).streamMs}ms if { req.fhdr(accept) -m sub text/event-stream }`,
  ]
}

/** Connections are kept; `safe` never sends a client's first request over a used one, and reuse is keyed on the destination. What met one that the app was just closing is asked again. */
const REPEATING = ['  http-reuse safe', '  retry-on conn-failure empty-response']

/**
 * A request that may have been acted on is not sent again, so it must not meet a connection that the app is just closing: each has
 * a new one. That takes twice the work for such a request, and loses none.
 */
const NEVER_REPEATING = ['  http-reuse never', '  option http-server-close', '  retry-on conn-failure']

/** Every request goes to `any`, which has no weight of its own: what HAProxy chooses after a failure is `again`. */
function firstThenAgain(settings: HaproxySettings): string[] {
  return [
    '  option redispatch 1',
    '  use-server any if TRUE',
    `${ANY} weight 0`,
    // named twice, because HAProxy waits a second before it goes to the only other one there is
    ...['again-1', 'again-2'].map((name) => `  server ${name} ${againSocket(settings)} send-proxy-v2`),
  ]
}

function errorPages(settings: HaproxySettings, format: PageFormat): string[] {
  const pages = { 502: 'unreachable', 503: 'unreachable', 504: 'slow' } as const
  return Object.entries(pages).map(([status, name]) => `  errorfile ${status} ${pagePath(settings, name, format)}`)
}

function pagePath(settings: HaproxySettings, name: PageName, format: PageFormat): string {
  return quote(edgePaths(settings.dir).page(pageFile(name, format)))
}
