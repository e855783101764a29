const MOST_TRIES = 50

/** Every container that comes or goes on this machine changes its network, and then a browser drops the visit it has begun. */
export async function steadily<Result>(visit: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await visit()
    } catch (cause) {
      const isDropped = /net::ERR_NETWORK_CHANGED|interrupted by another navigation to "chrome-error:/.test(String(cause))
      if (tries === MOST_TRIES || !isDropped) throw cause
    }
  }
}
