import type { ListeningPort } from '../../../../lib/proc-net.ts'

type Deps = {
  port: number
  look: () => Promise<readonly ListeningPort[] | null>
  say: (line: string) => void
  sayAfterMs: number
  giveUpAfterMs: number
  now?: () => number
}

/** The ports a container listens on instead of the app's port. Empty if it may just be slow. */
function elsewhere(port: number, listening: readonly ListeningPort[] | null): string | undefined {
  if (listening === null || listening.some((entry) => entry.port === port && !entry.loopbackOnly)) return undefined
  if (listening.some((entry) => entry.port === port)) return `127.0.0.1:${port} only`
  const ports = otherPorts(port, listening)
  return ports.length === 0 ? undefined : `port ${ports.join(', ')}`
}

/** Those that can be reached from outside the container. */
export function otherPorts(port: number | null, listening: readonly ListeningPort[] | null): number[] {
  return listening?.filter((entry) => !entry.loopbackOnly && entry.port !== port).map((entry) => entry.port) ?? []
}

/**
 * While nothing listens on the port: reports what the container listens on instead, and whether it is pointless to wait longer. A
 * container that is still opening ports gets more time.
 */
export function createPortWatch({ port, look, say, sayAfterMs, giveUpAfterMs, now = () => performance.now() }: Deps) {
  const begunAt = now()
  let said: string | undefined
  let saidAt = begunAt

  return async function shouldGiveUp(): Promise<boolean> {
    if (now() - begunAt < sayAfterMs) return false
    const where = elsewhere(port, await look())
    if (where !== said) {
      saidAt = now()
      said = where
      if (where !== undefined) say(`Nothing listens on port ${port} yet. The container listens on ${where}`)
    }
    return where !== undefined && now() - saidAt >= giveUpAfterMs - sayAfterMs
  }
}
