/** The edge as the rest of the server sees it. Plain values only: the edge knows no apps, only keys, names and addresses. */
export interface Edge {
  /**
   * Resolves once HAProxy serves what `routes` returns by now. Rejects with EdgeUnavailable, and keeps retrying by itself. The routes are
   * read at the beginning of each pass, also of later ones. Until the first call HAProxy's routes are left alone.
   */
  update(routes: ReadRoutes): Promise<void>
  setCertificates(certificates: readonly EdgeCertificate[]): Promise<void>
  /** Whether HAProxy rejected the certificate. Its host is served without it. */
  isRefused(certificate: EdgeCertificate): boolean
  /** Answers `/.well-known/acme-challenge/<token>` on every host with this text until it is removed. */
  addChallenge(token: string, answer: string): Promise<void>
  removeChallenge(token: string): Promise<void>
  /** How many requests and sockets these targets are still serving: at 0 a drain can end early. */
  inFlight(targets: readonly EdgeTarget[]): Promise<number>
  state(): EdgeState
  /** Whether our HAProxy is running now, even if it does not accept changes. */
  isServing(): Promise<boolean>
  /** Compares everything with HAProxy's state and repairs the differences. */
  repair(): Promise<void>
  /** Stops repairing. HAProxy itself keeps serving. */
  close(): Promise<void>
}

/** The key of an app in the edge's maps and access counts. */
export function appKey(appId: number): string {
  return `app-${appId}`
}

export type EdgePage = 'stopped' | 'starting' | 'down'
export type EdgeTarget = { readonly ip: string; readonly port: number }
/**
 * `fallback` is the previous release while a new one is on trial. It gets the requests that the targets refuse or drop before the first
 * byte.
 */
export type EdgeRelease = { readonly targets: readonly EdgeTarget[]; readonly fallback?: readonly EdgeTarget[]; readonly page?: EdgePage }

/** `redirectHttps` and `hsts` take effect only while the host has a certificate. */
export type EdgeHostName = {
  readonly host: string
  readonly redirectHttps: boolean
  readonly hsts: boolean
  /** Other people's apps have hosts beside it, so it sets cookies for itself alone. */
  readonly hasNeighbours?: boolean
}

/** One app with all its hosts, so that two hosts of an app can never disagree about its targets. `page` wins over targets. */
export type EdgeApp = EdgeRelease & {
  readonly appKey: string
  readonly hosts: readonly EdgeHostName[]
  /** Whose project it is in. What is scarce is shared between owners. */
  readonly ownerId?: number
}

export type EdgeRoutes = {
  readonly apps: readonly EdgeApp[]
  readonly dashboard?: { readonly host: EdgeHostName; readonly target: EdgeTarget }
}
export type ReadRoutes = () => Promise<EdgeRoutes>

/**
 * `path` is a PEM file (chain, then key) inside the edge's directory; `fingerprint` begins like the one HAProxy reports: the leaf's SHA-1
 * in upper-case hex, and how many certificates follow the leaf; then a hash of the whole chain.
 */
export type EdgeCertificate = { readonly host: string; readonly path: string; readonly fingerprint: string }

export type EdgeState = {
  readonly state: 'ready' | 'starting' | 'unreachable' | 'off'
  readonly message: string
  /** A message for each rejected route. All others are served. */
  readonly refused: readonly string[]
}

/** Where the parts of the edge write what happened. */
export type EdgeLog = { info(fields: object, message: string): void; warn(fields: object, message: string): void }

/** What is wrong with the edge, in words that may be public: no file and no host is named. The cause has the details. */
export class EdgeProblem extends Error {
  override readonly name = 'EdgeProblem'
}

/** The wanted state could not be applied yet. It will be retried. */
export class EdgeUnavailable extends Error {
  override readonly name = 'EdgeUnavailable'
}
