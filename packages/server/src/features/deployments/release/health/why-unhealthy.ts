import type { ContainerDetails } from '../../../../engine/container-state.ts'
import { errorLines, outputSummary } from '../../../../lib/error-lines.ts'
import type { ListeningPort } from '../../../../lib/proc-net.ts'
import type { FailureFacts } from '../../failure/facts.ts'
import { missingVariable } from '../../failure/missing-variable.ts'
import { startCommandWords } from '../../failure/start-command.ts'
import { otherPorts } from './port-watch.ts'
import { nothingResponds } from './probes.ts'

const KILLED = 137

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
  const notStarted = startCommandWords(lines.join('\n'))
  if (notStarted !== undefined) return notStarted
  const said = outputSummary(lines)
  if (details.exitCode === null) return `The container exited, and its restart policy started it again${said}`
  // under load the engine may not hear in time that the kernel ended it
  if (details.exitCode === KILLED)
    return `The container was killed (exit code 137), most likely because it ran out of memory. Give it more under Settings → Memory limit${said}`
  const isDone = details.exitCode === 0 ? ' An app must keep running, and its start command came to an end.' : ''
  return `The container exited with code ${details.exitCode}${said}${isDone}`
}

function whyNotReached(port: number, listening: readonly ListeningPort[] | null): string {
  const isOnLoopback = listening?.some((entry) => entry.port === port && entry.loopbackOnly) ?? false
  if (isOnLoopback)
    return `The app only listens on 127.0.0.1:${port}, which cannot be reached from outside its container. Make it listen on 0.0.0.0.`
  const ports = otherPorts(port, listening)
  const hint =
    ports.length > 0
      ? ` It listens on ${ports.join(', ')}: set that under Settings → Port, or make the app listen on $PORT.`
      : ' It listens on no port at all: make it listen on $PORT.'
  return `Nothing listens on port ${port}.${listening === null ? ' Make the app listen on 0.0.0.0:$PORT.' : hint}`
}

function hasEnded({ state, restartCount }: ContainerDetails): boolean {
  return state !== 'running' || restartCount > 0
}

function isUnreached({ listening, port, reason }: Seen): boolean {
  const isOpen = listening?.some((entry) => entry.port === port && !entry.loopbackOnly) ?? false
  return !isOpen && reason === nothingResponds(port)
}

/** What can be done about it, if known. `env` is the environment of the container. */
export function factsOf(seen: Seen, env: Readonly<Record<string, string>>): FailureFacts | undefined {
  if (!seen.details) return undefined
  if (hasEnded(seen.details)) {
    const name = missingVariable(errorLines(seen.lastLines).join(' '))
    return name === undefined || name in env ? undefined : { kind: 'no_variable', name }
  }
  const ports = isUnreached(seen) ? otherPorts(seen.port, seen.listening) : []
  const isOnlyLocal = seen.listening?.some(({ port }) => port === seen.port) ?? false
  return ports.length === 0 || isOnlyLocal ? undefined : { kind: 'other_ports', ports: ports.slice(0, 3) }
}

/** What happened and what to do, from the state of the container. */
export function whyUnhealthy(seen: Seen): string {
  const { details, port } = seen
  if (!details) return 'The container disappeared while it was starting.'
  if (hasEnded(details)) return whyEnded(details, seen.lastLines)
  if (port !== null && isUnreached(seen)) return whyNotReached(port, seen.listening)
  if (seen.healthcheckPath !== '')
    return `The app is not healthy: ${seen.reason} (${seen.healthcheckPath}; 200 to 399 is healthy)${outputSummary(seen.lastLines)}`
  return `The app is not healthy: ${seen.reason}${outputSummary(seen.lastLines)}`
}
