/** The edge as the rest of the server sees it. Plain values only: the edge knows no apps, only keys, names and addresses. */
export interface Edge {
  /** Replaces everything that is routed. Resolves when HAProxy serves it; rejects with EdgeUnavailable, and goes on trying by itself. */
  setRoutes(routes: EdgeRoutes): Promise<void>
  setCertificates(certificates: readonly EdgeCertificate[]): Promise<void>
  /** A certificate that HAProxy did not take; its host is served without it. */
  isRefused(certificate: EdgeCertificate): boolean
  /** Answers `/.well-known/acme-challenge/<token>` on every host with this text until it is removed. */
  addChallenge(token: string, answer: string): Promise<void>
  removeChallenge(token: string): Promise<void>
  /** How many requests and sockets these targets still serve: a drain may end early at 0. */
  inFlight(targets: readonly EdgeTarget[]): Promise<number>
  state(): EdgeState
  /** Whether an HAProxy of ours is there at this moment, also one that does not take what it is told. */
  isServing(): Promise<boolean>
  /** Compares everything with what HAProxy holds and repairs it. */
  repair(): Promise<void>
  /** Ends the repairing. HAProxy itself goes on serving. */
  close(): Promise<void>
}

export type EdgePage = 'stopped' | 'starting' | 'down'
export type EdgeTarget = { readonly ip: string; readonly port: number }
/** `fallback` answers what the targets refuse or break off before their first byte: the release before, while a new one is on trial. */
export type EdgeRelease = { readonly targets: readonly EdgeTarget[]; readonly fallback?: readonly EdgeTarget[]; readonly page?: EdgePage }

/** `redirectHttps` and `hsts` take effect only while the host has a certificate. */
export type EdgeHostName = { readonly host: string; readonly redirectHttps: boolean; readonly hsts: boolean }

/** One app with all its hosts, so that two hosts of an app can never disagree about its targets. `page` wins over targets. */
export type EdgeApp = EdgeRelease & { readonly appKey: string; readonly hosts: readonly EdgeHostName[] }

export type EdgeRoutes = {
  readonly apps: readonly EdgeApp[]
  readonly dashboard?: { readonly host: EdgeHostName; readonly target: EdgeTarget }
}

/**
 * `path` is a PEM file (chain, then key) inside the edge's directory; `fingerprint` is what HAProxy tells of it too: the leaf's SHA-1 in
 * upper-case hex, and how many certificates follow the leaf.
 */
export type EdgeCertificate = { readonly host: string; readonly path: string; readonly fingerprint: string }

export type EdgeState = {
  readonly state: 'ready' | 'starting' | 'unreachable' | 'off'
  readonly message: string
  /** Routes that could not be taken in, each with a sentence. All others are served. */
  readonly refused: readonly string[]
}

/** What is wrong with the edge, in a sentence that strangers may read too: it names no file and no host. The cause has the details. */
export class EdgeProblem extends Error {
  override readonly name = 'EdgeProblem'
}

/** What was wanted could not be put in place yet. It stays wanted. */
export class EdgeUnavailable extends Error {
  override readonly name = 'EdgeUnavailable'
}
