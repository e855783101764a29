const MOST_TRIES = 50

/** Every container that starts or stops changes the machine's network, which makes a browser abort its navigation. */
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
