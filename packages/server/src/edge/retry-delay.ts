/** How long the edge waits after the n-th failure in a row: soon at first, and never longer than the usual repair. */
export function retryDelayMs(failures: number): number {
  return Math.min(30_000, 500 * 2 ** Math.min(failures, 10))
}
