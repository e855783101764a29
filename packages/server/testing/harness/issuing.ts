import { randomBytes } from 'node:crypto'
import { createAccountPause } from '../../src/edge/certificates/account-pause.ts'
import { createAcme } from '../../src/edge/certificates/acme.ts'
import { createCertificates } from '../../src/edge/certificates/certificates.ts'
import { createResolve } from '../../src/edge/certificates/dns-check.ts'
import { createCertificateIssuer } from '../../src/edge/certificates/issuer.ts'
import { createPreflight } from '../../src/edge/certificates/preflight.ts'
import type { CertificateStatus } from '../../src/edge/certificates/status.ts'
import type { Edge } from '../../src/edge/edge.ts'
import { keptCertificatesOf } from './kept-certificates.ts'
import type { Pebble } from './pebble.ts'
import type { TestEdge } from './test-edge.ts'

export type Authority = Pick<Pebble, 'directoryUrl' | 'ca' | 'dnsServer'>

export type IssuingOptions = { directoryUrl?: string; challengeEdge?: Pick<Edge, 'addChallenge' | 'removeChallenge'> }

/** Everything that orders certificates, for an edge. */
export async function startCertificates(edge: TestEdge, pebble: Authority, options: IssuingOptions = {}) {
  const clock = { offsetMs: 0 }
  const now = () => new Date(Date.now() + clock.offsetMs)
  const heard: [string, CertificateStatus][] = []
  const preflight = createPreflight({
    edge: edge.edge,
    resolve: createResolve({ servers: [pebble.dnsServer] }),
    addresses: () => ['127.0.0.1'],
    newToken: () => randomBytes(16).toString('hex'),
    port: edge.httpPort,
  })
  const { store, attempts, budget, accountKey } = await keptCertificatesOf(edge, now)
  const log = { info: () => undefined, warn: () => undefined }
  const directory = () => options.directoryUrl ?? pebble.directoryUrl
  const pause = createAccountPause({ attempts, directory, now })
  const issuer = createCertificateIssuer({
    store,
    attempts,
    budget,
    pause,
    directory,
    log,
    now,
    random: () => 0,
    acme: createAcme({
      settings: () => ({ directoryUrl: directory(), email: 'owner@example.com', ca: pebble.ca }),
      accountKey,
      edge: options.challengeEdge ?? edge.edge,
      poll: { minMs: 50, maxMs: 500, attempts: 20 },
    }),
    preflight,
  })
  const certificates = createCertificates({
    store,
    attempts,
    issuer,
    pause,
    directory,
    edge: edge.edge,
    events: { onStatus: (host, status) => heard.push([host, status]) },
    log,
    now,
    everyMs: 100,
  })
  return { certificates, store, attempts, clock, heard, [Symbol.asyncDispose]: certificates.close }
}
