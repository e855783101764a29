import { createHash } from 'node:crypto'
import { edgePaths } from '../paths.ts'
import { backends } from './backends.ts'
import { type Checked, checkBackends } from './checks.ts'
import { frontends } from './frontends.ts'
import { ACCESS_RING, type HaproxySettings, maxConnections, quote, timeoutsOf } from './terms.ts'

/** The header lines of a request, and a command with its payload, must fit into this. */
export const BUFFER_BYTES = 16_384

/**
 * The whole configuration. It depends on settings only, never on an app or a domain: those are maps and certificates, so
 * that HAProxy is never reloaded. `description` carries a hash, which shows the configuration that a running HAProxy has. What it checks is
 * told to the running one, and in the file for its next start: the hash is that of checking nothing yet.
 */
export function haproxyConfig(settings: HaproxySettings, checked?: Checked): { text: string; hash: string } {
  const parts = (hash: string) => [...globalSection(settings, hash), ...defaultsSection(settings), ...frontends(settings)]
  const body = (hash: string, checks: Checked | undefined) =>
    [...parts(hash), ...backends(settings, checks !== undefined), ...(checks ? checkBackends(checks) : [])].join('\n')
  const hash = createHash('sha256')
    .update(body('', checked && new Map()))
    .digest('hex')
    .slice(0, 16)
  return { text: `${body(hash, checked)}\n`, hash }
}

function globalSection(settings: HaproxySettings, hash: string): string[] {
  const paths = edgePaths(settings.dir)
  return [
    'global',
    `  description berth-${hash}`,
    // the other half of the cores is for the apps; with as many threads as cores they slow each other down
    `  nbthread ${Math.max(1, Math.floor(settings.cores / 2))}`,
    `  maxconn ${maxConnections(settings)}`,
    // a lower limit on open files means fewer connections, not a failed start
    '  no strict-limits',
    // as long as a WebSocket may be idle: after a reload the previous worker keeps its sockets
    '  hard-stop-after 1h',
    `  stats socket ${quote(paths.socket)} mode 600 level admin`,
    // the access log reader waits on this socket while there are no requests
    '  stats timeout 1h',
    '  stats maxconn 20',
    // the header lines of a request must fit into one buffer, so this is the header size limit (16 KB minus what we add; Node.js
    // accepts no more either). A whole buffer is copied for each request that may be retried, so twice the size is noticeably slower.
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
    // holds more than a second of a machine's peak load: requests that do not fit while the reader pauses are not counted
    '  size 4194304',
    '',
  ]
}

function defaultsSection(settings: HaproxySettings): string[] {
  const t = timeoutsOf(settings)
  return [
    'defaults',
    '  mode http',
    `  log ring@${ACCESS_RING} local0`,
    '  log-format "%[var(txn.found)] %ST %Tr %B %U"',
    '  option http-keep-alive',
    // after a reload the previous worker answers once more on a kept connection, and announces that it closes it
    '  option idle-close-on-response',
    '  option abortonclose',
    // a connection that was opened early and never used is neither a request nor an error
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
