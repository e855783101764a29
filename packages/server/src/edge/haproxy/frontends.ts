import { DASHBOARD_KEY } from '../maps.ts'
import { edgePaths } from '../paths.ts'
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
  sharesOf,
} from './terms.ts'

/** Evaluated on each use: few requests need it twice. */
const HOST = 'req.fhdr(host),field(1,:),lower,rtrim(.)'

/** Programs ask for JSON. Browsers accept anything, but name HTML. */
const WANTS_JSON = '{ req.fhdr(accept) -m sub application/json } !{ req.fhdr(accept) -m sub text/html }'

/** A cookie header without the sessions of the dashboard, under either name. */
const WITHOUT_SESSIONS = ['__Host-berth_session', 'berth_session'].map((name) => `regsub(${name}=[^;]*;?[[:space:]]*,,g)`).join(',')

const DOMAIN = ';[[:space:]]*[Dd][Oo][Mm][Aa][Ii][Nn][[:space:]]*='

/**
 * A cookie for a parent domain would go to the apps of other people, which answer 400 once there are too many. Browsers read the last of several
 * domains; such a line keeps only the name and the value. Each pattern is tried in one pass, however long the line is.
 */
function cookiesOfOneHost(): string[] {
  const condition = 'if { var(txn.found) -m sub |n |rn }'
  return [
    `  http-response replace-header Set-Cookie ^([^;]*)(;.*)?${DOMAIN}.*${DOMAIN}.*$ \\1 ${condition}`,
    `  http-response replace-header Set-Cookie ^([^;]*(;.*)?)${DOMAIN}[^;]*(.*)$ \\1\\3 ${condition}`,
  ]
}

/** Most requests: a GET that needs none of the rules of the other backends. */
const IS_PLAIN_GET = `METH_GET ${HAS_TARGET} ${[
  '{ req.fhdr(accept) -m sub application/json text/event-stream }',
  '{ req.fhdr(content-length) -m found }',
  '{ req.fhdr(upgrade) -m found }',
]
  .map((other) => `!${other}`)
  .join(' ')}`

export function frontends(settings: HaproxySettings): string[] {
  const paths = edgePaths(settings.dir)
  const ssl = ` ssl crt ${quote(paths.placeholder)} crt-list ${quote(paths.certificateList)} alpn h2,http/1.1`
  const to = settings.httpsPort === 443 ? '' : `:${settings.httpsPort}`
  return [
    'frontend http',
    ...binds(settings, settings.httpPort, ''),
    ...welcoming(settings),
    ...findingTheApp(settings),
    ...forwardedHeaders('http'),
    `  http-request redirect location https://%[${HOST}]${to}%[pathq] code 308 if { var(txn.found) -m sub |r }`,
    ...findingTheTarget(settings, 'first'),
    ...sharing(settings),
    ...SET_DESTINATION,
    ...cookiesOfOneHost(),
    ...choosingTheWay(),
    '',
    'frontend https',
    ...binds(settings, settings.httpsPort, ssl),
    ...welcoming(settings),
    ...findingTheApp(settings),
    ...forwardedHeaders('https'),
    '  http-after-response set-header Strict-Transport-Security max-age=31536000 if { var(txn.found) -m end s } !{ res.hdr(Strict-Transport-Security) -m found }',
    ...findingTheTarget(settings, 'first'),
    ...sharing(settings),
    ...SET_DESTINATION,
    ...cookiesOfOneHost(),
    ...choosingTheWay(),
    '',
    // a request whose target failed arrives here from ourselves, already with all headers about the visitor
    'frontend fallback',
    `  bind ${fallbackSocket(settings)} accept-proxy`,
    // the visitor's own request is already in the log
    '  http-request set-log-level silent',
    ...findingTheApp(settings),
    ...findingTheTarget(settings, 'last'),
    ...avoidingTheFailed(settings),
    ...SET_DESTINATION,
    `  use_backend fallback-json if ${WANTS_JSON}`,
    '  default_backend fallback-html',
    '',
  ]
}

function binds(settings: HaproxySettings, port: number, options: string): string[] {
  return [`  bind 0.0.0.0:${port}${options}`, ...(settings.ipv6 ? [`  bind :::${port} v6only${options}`] : [])]
}

/**
 * Once per connection. No source can take all connections, but there are enough for many people behind one router. Challenges are
 * answered on every host.
 */
function welcoming(settings: HaproxySettings): string[] {
  const answer = `path,field(4,/),${lookUp(settings, 'challenges')}`
  const shares = sharesOf(settings)
  const isContainer = `{ src ${settings.containerNetworks.join(' ')} }`
  return [
    // as text, because it is added to a header of each request
    '  tcp-request connection set-var(sess.from) src,lower',
    // a customer of a provider may use a whole /48 of IPv6 addresses, and a project a /24 for its containers
    '  tcp-request connection set-var(sess.source) src,ipmask(32,48)',
    `  tcp-request connection set-var(sess.source) src,ipmask(24) if ${isContainer}`,
    `  tcp-request connection track-sc1 var(sess.source) table ${CONNECTIONS_TABLE}`,
    `  tcp-request connection reject if { sc1_conn_cur gt ${shares.connectionsOfSource} } !${isContainer}`,
    `  tcp-request connection reject if { sc1_conn_cur gt ${shares.connectionsOfProject} } ${isContainer}`,
    // a tenant can have any number of projects, so the last connections are reserved for visitors
    `  tcp-request connection reject if { fe_conn gt ${shares.keptOpen} } ${isContainer}`,
    `  http-request return status 200 content-type text/plain lf-string %[${answer}] if { path_beg /.well-known/acme-challenge/ } { ${answer} -m found }`,
    // When connections run low, they are not kept alive for the next request. After a 101 the connection is a WebSocket.
    ...['http', 'https'].map(
      (port) => `  http-after-response set-header Connection close if { fe_conn(${port}) gt ${shares.keptOpen} } !{ status 101 }`,
    ),
  ]
}

/** Most requests name the host exactly as the map does. Other spellings are checked and normalised. */
function findingTheApp(settings: HaproxySettings): string[] {
  const app = lookUp(settings, 'hosts')
  return [
    `  http-request set-var(txn.found) req.fhdr(host),${app}`,
    // apps build links from this host, so it must be a plain name and port that cannot be misread
    `  http-request deny deny_status 400 if !${IS_FOUND} { req.fhdr(host) -m found } !{ req.fhdr(host) -m reg ^[A-Za-z0-9._-]+(:[0-9]*)?$ }`,
    `  http-request set-var(txn.found) ${HOST},${app} if !${IS_FOUND}`,
  ]
}

/** The headers that tell the app about the visitor. None of them come from the visitor. */
function forwardedHeaders(scheme: 'http' | 'https'): string[] {
  return [
    // With underscores too, because some programs treat them alike. And headers named in Connection would be
    // dropped by an app that forwards requests, including those that we add here.
    '  http-request del-header ^(connection|x[-_]forwarded([-_].*)?|x[-_]real[-_]ip|forwarded|proxy)$ -m reg',
    // A browser sends the cookies of a host to all of its ports, and an app may get a host under which the dashboard was used.
    `  http-request set-header Cookie %[req.fhdr(cookie),${WITHOUT_SESSIONS}] if { req.fhdr(cookie) -m sub berth_session= } !{ var(txn.found) -m beg ${DASHBOARD_KEY}| }`,
    '  http-request add-header X-Forwarded-For %[var(sess.from)]',
    `  http-request add-header X-Forwarded-Proto ${scheme}`,
    '  http-request add-header X-Forwarded-Host %[req.fhdr(host)]',
  ]
}

/** The app's first target set is its release. The last one is the previous release while the new one is on trial. */
function findingTheTarget(settings: HaproxySettings, which: 'first' | 'last'): string[] {
  return [
    `  http-request set-var(txn.to) var(txn.found),field(1,|),${lookUp(settings, 'apps')},field(${which === 'first' ? 1 : -1},!)`,
    `  http-request track-sc0 var(txn.to) table ${IN_FLIGHT_TABLE}`,
  ]
}

/**
 * A request whose target failed goes to the next target of the same set. HAProxy tells itself which one failed by the destination in the
 * proxy protocol, where an IPv4 address may be written as IPv6.
 */
function avoidingTheFailed(settings: HaproxySettings): string[] {
  return [
    '  http-request set-var(txn.failedport) dst_port',
    '  http-request set-var(txn.failed) dst,field(-1,:),concat(|,txn.failedport)',
    `  http-request set-var(txn.next) var(txn.to),concat(>,txn.failed),${lookUp(settings, 'targets')}`,
    '  http-request set-var(txn.to) var(txn.next) if { var(txn.next) -m found }',
  ]
}

/** A request over the limit gets a page instead of its target. A socket counts as a long request. */
function sharing(settings: HaproxySettings): string[] {
  const shares = sharesOf(settings)
  return [
    `  http-request track-sc2 var(sess.source) table ${REQUESTS_TABLE}`,
    `  http-request set-var(txn.to) str(busy) if { sc0_conn_cur gt ${shares.requestsOfApp} }`,
    `  http-request set-var(txn.to) str(too-many) if { sc2_conn_cur gt ${shares.requestsOfSource} }`,
  ]
}

function choosingTheWay(): string[] {
  return [
    `  use_backend plain-get if ${IS_PLAIN_GET}`,
    `  use_backend unsafe-json if !METH_GET ${WANTS_JSON}`,
    '  use_backend unsafe-html if !METH_GET',
    `  use_backend safe-json if ${WANTS_JSON}`,
    '  default_backend safe-html',
  ]
}
