const TRIES = 4
const FIRST_WAIT_MS = 1000
const RELOADED = 'berth.reloaded'
const RELOAD_AGAIN_MS = 60_000

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** After an update the chunks have other names, which only a fresh page knows. Not again and again: something else may be wrong. */
function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0)
  if (Date.now() - last < RELOAD_AGAIN_MS) return false
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
  return true
}

/** Loads a part of the dashboard, and tries again by itself when the connection fails. */
export async function loadAgain<Module>(load: () => Promise<Module>, waitMs = FIRST_WAIT_MS): Promise<Module> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await load()
    } catch (cause) {
      if (tried < TRIES) await wait(waitMs * 2 ** (tried - 1))
      else if (reloadOnce())
        return await new Promise(() => undefined) // the page is about to be replaced
      else throw cause
    }
  }
}
