/** Where visitors of a release are sent. */
export type Target = {
  readonly ip: string
  readonly port: number
  /** The addresses of its other replicas. */
  readonly others?: readonly string[]
  /** Of a compose app: the addresses of each service that has visitors. */
  readonly services?: ReadonlyMap<string, readonly string[]>
  /** No service has the app's own port: only those with domains of their own have visitors. */
  readonly isOfServices?: true
}

/** How a deployment changes routes. Each call resolves once visitors are routed as requested, or when the edge cannot be reached. */
export type Routes = {
  /** Whether an earlier release currently serves the app's visitors. */
  isServed(appId: number): Promise<boolean>
  /**
   * Sends the app's visitors to this release. Throws if a running edge does not accept the route: visitors then stay with the earlier
   * release.
   */
  switchTo(appId: number, target: Target): Promise<void>
  /** Switches back to the release that is live according to the database. */
  restore(appId: number): Promise<void>
  /** Before a deployment that was interrupted starts its release again: if another node had switched to it, visitors go back. */
  beginAgain(appId: number): Promise<void>
  /** Waits until what no longer gets visitors has no requests in flight, or the time limit has passed. */
  drain(appId: number, signal: AbortSignal): Promise<void>
}
