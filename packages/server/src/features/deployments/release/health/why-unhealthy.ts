import type { ContainerDetails } from '../../../../engine/container-state.ts'
import { whatItSaid } from '../../../../lib/error-lines.ts'
import type { ListeningPort } from '../../../../lib/proc-net.ts'

type Seen = {
  details: ContainerDetails | null
  lastLines: readonly string[]
  listening: readonly ListeningPort[] | null
  port: number | null
  healthcheckPath: string
  reason: string
}

function whyEnded(details: ContainerDetails, lines: readonly string[]): string {
  if (details.oomKilled) return 'The container ran out of memory and was killed. Give it more under Settings → Memory limit.'
  const said = whatItSaid(lines)
  if (details.exitCode === null) return `The container exited, and its restart policy started it again${said}`
  return `The container exited with code ${details.exitCode}${said}`
}

function whyNotReached(port: number, listening: readonly ListeningPort[] | null): string {
  const isOnLoopback = listening?.some((entry) => entry.port === port && entry.loopbackOnly) ?? false
  if (isOnLoopback)
    return `The application listens on 127.0.0.1:${port} only, which nothing outside its container can reach. Make it listen on 0.0.0.0.`
  const ports = listening?.filter((entry) => !entry.loopbackOnly && entry.port !== port).map((entry) => entry.port) ?? []
  const hint =
    ports.length > 0
      ? ` It listens on ${ports.join(', ')}: set that under Settings → Port, or make the application listen on $PORT.`
      : ' It listens on no port at all: make it listen on $PORT.'
  return `Nothing listens on port ${port}.${listening === null ? ' Make the application listen on 0.0.0.0:$PORT.' : hint}`
}

/** A sentence that says what happened and what to do, from what can be seen of the container. */
export function whyUnhealthy(seen: Seen): string {
  const { details, port } = seen
  if (!details) return 'The container disappeared while it was starting.'
  if (details.state !== 'running' || details.restartCount > 0) return whyEnded(details, seen.lastLines)
  const isPortOpen = seen.listening?.some((entry) => entry.port === port && !entry.loopbackOnly) ?? false
  if (port !== null && !isPortOpen && seen.reason.startsWith('nothing answers')) return whyNotReached(port, seen.listening)
  if (seen.healthcheckPath !== '')
    return `The application is not healthy: ${seen.reason} (${seen.healthcheckPath}; 200 to 399 is healthy)${whatItSaid(seen.lastLines)}`
  return `The application is not healthy: ${seen.reason}${whatItSaid(seen.lastLines)}`
}
