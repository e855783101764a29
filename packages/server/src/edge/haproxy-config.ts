import { createHash } from 'node:crypto'
import { type PageFormat, pageFile } from './edge-pages.ts'
import { type EdgePaths, edgePaths } from './edge-paths.ts'

export type HaproxySettings = {
  readonly dir: string
  readonly httpPort: number
  readonly httpsPort: number
  /** Whether the machine has IPv6; binding `::` fails where it is switched off. */
  readonly ipv6: boolean
  readonly cores: number
  readonly maxConnections?: number
  readonly timeouts?: Partial<EdgeTimeouts>
  /** The user HAProxy becomes once it has bound its ports. Only where it starts as root. */
  readonly runAs?: { readonly uid: number; readonly gid: number }
}

export type EdgeTimeouts = {
  clientMs: number
  serverMs: number
  streamMs: number
  connectMs: number
  requestMs: number
  keepAliveMs: number
}

const TIMEOUTS: EdgeTimeouts = {
  clientMs: 60_000,
  serverMs: 300_000,
  streamMs: 3_600_000,
  connectMs: 3_000,
  requestMs: 10_000,
  keepAliveMs: 75_000,
}

/** Programs ask for JSON; browsers, which take anything, name HTML. */
const WANTS_JSON = '{ req.hdr(accept) -m sub application/json } !{ req.hdr(accept) -m sub text/html }'

/** Said anew where it is needed: few requests need it twice. */
const HOST = 'req.fhdr(host),field(1,:),lower,rtrim(.)'
const APP = 'var(txn.found),field(1,|)'
const FLAGS = 'var(txn.found),field(2,|)'

/** What a request's header lines, and a command with its payload, must fit into. */
export const BUFFER_BYTES = 16_384
/** The in-memory log that access counts are read from. */
export const ACCESS_RING = 'access'
/** Counts the requests that each target set is working on. */
export const IN_FLIGHT_TABLE = 'in-flight'
const PER_SOURCE_TABLE = 'per-source'

/**
 * The whole configuration. It depends on settings only, never on an app or a domain: those are maps and certificates, so
 * that HAProxy is never reloaded. `description` carries a hash, by which a running HAProxy tells which configuration it has.
 */
export function haproxyConfig(settings: HaproxySettings): { text: string; hash: string } {
  const body = (hash: string) =>
    [...globalSection(settings, hash), ...defaultsSection(settings), ...frontends(settings), ...backends(settings)].join('\n')
  const hash = createHash('sha256').update(body('')).digest('hex').slice(0, 16)
  return { text: `${body(hash)}\n`, hash }
}

function globalSection(settings: HaproxySettings, hash: string): string[] {
  const paths = edgePaths(settings.dir)
  return [
    'global',
    `  description berth-${hash}`,
    // the other half of the cores is for the apps; with as many threads as cores they slow each other down
    `  nbthread ${Math.max(1, Math.floor(settings.cores / 2))}`,
    `  maxconn ${maxConnections(settings)}`,
    // fewer open files than wished for mean fewer connections, not no edge
    '  no strict-limits',
    // as long as a socket may be silent: a worker that was taken over from keeps those that it has
    '  hard-stop-after 1h',
    `  stats socket ${quote(paths.socket)} mode 600 level admin`,
    // the reader of the access log waits on this socket for as long as nobody visits
    '  stats timeout 1h',
    '  stats maxconn 20',
    // one request's header lines must fit into one buffer: this is the header size limit (16 KB less what we add, and Node.js
    // takes no more either). A whole buffer is copied for each request that could be repeated, so twice the size is felt.
    `  tune.bufsize ${BUFFER_BYTES}`,
    '  tune.maxrewrite 2048',
    '  tune.http.maxhdr 128',
    '  ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets',
    '  ssl-default-bind-ciphers ECDHE+AESGCM:ECDHE+CHACHA20',
    ...(settings.runAs === undefined ? [] : [`  uid ${settings.runAs.uid}`, `  gid ${settings.runAs.gid}`]),
    '',
    `ring ${ACCESS_RING}`,
    '  format raw',
    '  maxlen 256',
    // more than a second of the most that one machine serves: what has no room while the reader rests is not counted
    '  size 4194304',
    '',
  ]
}

function defaultsSection(settings: HaproxySettings): string[] {
  const t = { ...TIMEOUTS, ...settings.timeouts }
  return [
    'defaults',
    '  mode http',
    `  log ring@${ACCESS_RING} local0`,
    '  log-format "%[var(txn.found)] %ST %Tr %B %U"',
    '  option http-keep-alive',
    // a worker that was taken over from answers once more on a kept connection, and says there that it closes it
    '  option idle-close-on-response',
    '  option abortonclose',
    // a connection that was opened ahead and never used is no request and no error
    '  option http-ignore-probes',
    '  retries 3',
    `  timeout connect ${t.connectMs}ms`,
    `  timeout client ${t.clientMs}ms`,
    `  timeout client-fin ${t.clientMs}ms`,
    `  timeout server ${t.serverMs}ms`,
    `  timeout tunnel ${t.streamMs}ms`,
    `  timeout http-request ${t.requestMs}ms`,
    `  timeout http-keep-alive ${t.keepAliveMs}ms`,
    '',
  ]
}

function frontends(settings: HaproxySettings): string[] {
  const paths = edgePaths(settings.dir)
  const ssl = `ssl crt ${quote(paths.placeholder)} crt-list ${quote(paths.certificateList)} alpn h2,http/1.1`
  const to = settings.httpsPort === 443 ? '' : `:${settings.httpsPort}`
  return [
    'frontend http',
    ...binds(settings, settings.httpPort, ''),
    ...perSource(settings),
    ...routing(settings, 'http'),
    `  http-request redirect location https://%[${HOST}]${to}%[pathq] code 308 if { ${FLAGS} -m sub r }`,
    ...choosing(paths, FIRST),
    '',
    'frontend https',
    ...binds(settings, settings.httpsPort, ` ${ssl}`),
    ...perSource(settings),
    ...routing(settings, 'https'),
    `  http-after-response set-header Strict-Transport-Security max-age=31536000 if { ${FLAGS} -m sub s } !{ res.hdr(Strict-Transport-Security) -m found }`,
    ...choosing(paths, FIRST),
    '',
    // what met a dead target comes here from ourselves, with all that was said about the visitor in it already
    'frontend again',
    `  bind ${againSocket(settings)} accept-proxy`,
    // the visitor's own request is in the log already
    '  http-request set-log-level silent',
    ...looking(settings),
    ...choosing(paths, AGAIN),
    '',
  ]
}

/**
 * Between two parts of one HAProxy. Abstract, because the user that it has become reaches no file of ours; named by a port, which
 * no two of them can share. Containers of apps do not see it: it is of the machine's own network.
 */
function againSocket(settings: HaproxySettings): string {
  return `abns@berth-again-${settings.httpPort}`
}

/** One address never takes all the connections there are. Enough is left for the many who come from behind one router. */
function perSource(settings: HaproxySettings): string[] {
  return [
    `  tcp-request connection track-sc1 src table ${PER_SOURCE_TABLE}`,
    `  tcp-request connection reject if { sc1_conn_cur gt ${Math.floor(maxConnections(settings) / 4)} }`,
  ]
}

function maxConnections(settings: HaproxySettings): number {
  return settings.maxConnections ?? 8000
}

function binds(settings: HaproxySettings, port: number, options: string): string[] {
  return [`  bind 0.0.0.0:${port}${options}`, ...(settings.ipv6 ? [`  bind :::${port} v6only${options}`] : [])]
}

/** Who is meant, and what the app is told about the visitor. Nothing of that is taken from the visitor. */
function routing(settings: HaproxySettings, scheme: 'http' | 'https'): string[] {
  const answer = `path,field(4,/),map_str(${quote(edgePaths(settings.dir).map('challenges'))})`
  return [
    // apps build links from the host they are told: it is a name and a port, and nothing that could be read as anything else
    '  http-request deny deny_status 400 if { req.fhdr(host) -m found } !{ req.fhdr(host) -m reg ^[A-Za-z0-9._-]+(:[0-9]*)?$ }',
    // HAProxy counts in 64 bits; an app that does not would take the next visitor's request for the rest of this one
    '  http-request deny deny_status 400 if { req.fhdr(content-length),length gt 18 }',
    // through a tunnel that is no WebSocket, requests would come to the app as the visitor wrote them
    '  http-request deny deny_status 405 if METH_CONNECT',
    '  http-request del-header Upgrade if { req.fhdr(upgrade) -m found } !{ req.fhdr(upgrade) -m str -i websocket }',
    // what it names, such as what we say about the visitor, would be dropped by an app that passes requests on
    '  http-request del-header Connection if !{ req.fhdr(upgrade) -m found }',
    '  http-request set-header Connection upgrade if { req.fhdr(upgrade) -m found }',
    `  http-request return status 200 content-type text/plain lf-string %[${answer}] if { path_beg /.well-known/acme-challenge/ } { ${answer} -m found }`,
    ...looking(settings),
    // with underscores too: to programs that read headers as variables they are the same
    '  http-request del-header ^(x[-_]forwarded([-_].*)?|x[-_]real[-_]ip|forwarded|proxy)$ -m reg',
    '  http-request add-header X-Forwarded-For %[src]',
    `  http-request add-header X-Forwarded-Proto ${scheme}`,
    '  http-request add-header X-Forwarded-Host %[req.fhdr(host)]',
  ]
}

/** From the host to the app. */
function looking(settings: HaproxySettings): string[] {
  return [`  http-request set-var(txn.found) ${HOST},map_str(${quote(edgePaths(settings.dir).map('hosts'))})`]
}

/** Which of the target sets in an app's entry: its release, or the last one, which is the release before while this one is on trial. */
type Choice = { readonly field: 1 | -1; readonly backends: 'apps' | 'again' }
const FIRST: Choice = { field: 1, backends: 'apps' }
const AGAIN: Choice = { field: -1, backends: 'again' }

/** From the app to one of its targets. Whatever has none, for whichever reason, ends in a page. */
function choosing(paths: EdgePaths, { field, backends }: Choice): string[] {
  const several = '{ var(txn.count) -m found }'
  return [
    `  http-request set-var(txn.to) ${APP},map_str(${quote(paths.map('apps'))}),field(${field},!)`,
    `  http-request track-sc0 var(txn.to) table ${IN_FLIGHT_TABLE}`,
    '  http-request set-var(txn.count) var(txn.to),field(2,/)',
    `  http-request set-var(txn.replica) rand,mod(txn.count) if ${several}`,
    `  http-request set-var(txn.to) var(txn.to),concat(/,txn.replica),map_str(${quote(paths.map('targets'))}) if ${several}`,
    '  http-request set-dst var(txn.to),field(1,|)',
    '  http-request set-dst-port var(txn.to),field(2,|)',
    // never to the apps without a destination: an unset one would be the visitor's own, which is this machine
    '  use_backend pages if !{ var(txn.to) -m sub | }',
    `  use_backend ${backends}-json if ${WANTS_JSON}`,
    `  default_backend ${backends}-html`,
  ]
}

function pagesBackend(paths: EdgePaths): string[] {
  const page = (name: 'no-such-app' | 'stopped' | 'starting' | 'down', status: number, condition: string) => [
    `  http-request return status ${status} errorfile ${quote(paths.page(pageFile(name, 'json')))} if ${condition} ${WANTS_JSON}`,
    `  http-request return status ${status} errorfile ${quote(paths.page(pageFile(name, 'html')))} if ${condition}`,
  ]
  return [
    'backend pages',
    ...page('no-such-app', 404, '!{ var(txn.found) -m found }'),
    ...page('stopped', 503, '{ var(txn.to) -m str stopped }'),
    ...page('starting', 503, '{ var(txn.to) -m str starting }'),
    ...page('down', 503, 'TRUE'),
    '',
  ]
}

/** Tables of what is in flight and of who is connected, the pages, and backends for each format of the error pages, because HAProxy chooses those by backend. */
function backends(settings: HaproxySettings): string[] {
  return [
    `backend ${IN_FLIGHT_TABLE}`,
    '  stick-table type string len 64 size 100k expire 1h store conn_cur',
    '',
    `backend ${PER_SOURCE_TABLE}`,
    '  stick-table type ipv6 size 100k expire 2m store conn_cur',
    '',
    ...pagesBackend(edgePaths(settings.dir)),
    ...(['html', 'json'] as const).flatMap((format) => [
      `backend apps-${format}`,
      ...toTargets(settings, format),
      // every request goes to `any`, which has no weight of its own: what HAProxy chooses after a failure is `again`
      '  option redispatch 1',
      '  use-server any if TRUE',
      `  server any 0.0.0.0:0 weight 0 ${POOL}`,
      // named twice, because HAProxy waits a second before it goes to the only other one there is
      ...['again-1', 'again-2'].map((name) => `  server ${name} ${againSocket(settings)} send-proxy-v2`),
      '',
      `backend again-${format}`,
      ...toTargets(settings, format),
      `  server any 0.0.0.0:0 ${POOL}`,
      '',
    ]),
  ]
}

/** Idle connections go well before the five seconds after which Node closes its end. */
const POOL = 'pool-purge-delay 1s'

function toTargets(settings: HaproxySettings, format: PageFormat): string[] {
  const paths = edgePaths(settings.dir)
  const t = { ...TIMEOUTS, ...settings.timeouts }
  const failure = (status: number, name: 'unreachable' | 'slow') => `  errorfile ${status} ${quote(paths.page(pageFile(name, format)))}`
  return [
    // `safe` never sends a client's first request over a used connection; reuse is keyed on the destination
    '  http-reuse safe',
    '  retry-on conn-failure empty-response',
    // a request that may have been acted on is sent again only where that is harmless
    '  http-request disable-l7-retry if !METH_GET',
    `  http-request set-timeout server ${t.streamMs}ms if { req.hdr(accept) -m sub text/event-stream }`,
    failure(502, 'unreachable'),
    failure(503, 'unreachable'),
    failure(504, 'slow'),
  ]
}

/** Paths travel through the configuration and the socket's command language; plain ones need no quoting in either. */
function quote(path: string): string {
  if (/^[A-Za-z0-9_./@+-]+$/.test(path)) return path
  throw new Error(`The path of the data directory may hold only letters, digits and . _ - @ + / here: ${JSON.stringify(path)}`)
}
