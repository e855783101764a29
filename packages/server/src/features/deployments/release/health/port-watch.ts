import type { ListeningPort } from '../../../../lib/proc-net.ts'

type Deps = {
  port: number
  look: () => Promise<readonly ListeningPort[] | null>
  say: (line: string) => void
  sayAfterMs: number
  giveUpAfterMs: number
  now?: () => number
}

/** Where a container listens, when it is not where visitors are sent. Nothing where it may only be slow. */
function elsewhere(port: number, listening: readonly ListeningPort[] | null): string | undefined {
  if (listening === null || listening.some((entry) => entry.port === port && !entry.loopbackOnly)) return undefined
  if (listening.some((entry) => entry.port === port)) return `127.0.0.1:${port} only`
  const ports = otherPorts(port, listening)
  return ports.length === 0 ? undefined : `port ${ports.join(', ')}`
}

/** Those that could be reached from outside the container. */
export function otherPorts(port: number | null, listening: readonly ListeningPort[] | null): number[] {
  return listening?.filter((entry) => !entry.loopbackOnly && entry.port !== port).map((entry) => entry.port) ?? []
}

/**
 * For the time in which nothing answers on the port: says what the container listens on instead, and answers whether more waiting is in
 * vain. One that still opens ports is given more time.
 */
export function createPortWatch({ port, look, say, sayAfterMs, giveUpAfterMs, now = () => performance.now() }: Deps) {
  const begunAt = now()
  let said: string | undefined
  let saidAt = begunAt

  return async function isInVain(): Promise<boolean> {
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
