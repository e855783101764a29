import type { ServiceState } from '@berth/contract'
import type { ContainerDetails } from '../../engine/container-state.ts'

type Seen = Pick<ContainerDetails, 'state' | 'exitCode' | 'oomKilled' | 'health' | 'healthOutput'>
type Known = {
  readonly details: Seen | undefined
  /** A person stopped the service, or the whole app. */
  readonly isStopped: boolean
  /** Other services wait until it has completed. */
  readonly runsToItsEnd: boolean
}

const LONGEST_OUTPUT = 300

/** The state of a service in one word, and why it is not running if it should. */
export function stateOf({ details, isStopped, runsToItsEnd }: Known): { state: ServiceState; reason: string } {
  if (details === undefined) {
    if (isStopped) return { state: 'stopped', reason: '' }
    return runsToItsEnd ? { state: 'finished', reason: '' } : { state: 'missing', reason: 'Its container is gone; Berth starts it again.' }
  }
  if (details.state === 'running') return ofRunning(details)
  if (isStopped) return { state: 'stopped', reason: '' }
  if (details.state === 'restarting')
    return { state: 'restarting', reason: `It exited with code ${details.exitCode ?? 'unknown'} and is being restarted.` }
  if (details.state === 'created') return { state: 'starting', reason: '' }
  if (details.state === 'exited' && details.exitCode === 0) return { state: 'finished', reason: '' }
  if (details.state === 'exited') return { state: 'failed', reason: whyEnded(details) }
  return { state: 'failed', reason: `Its container is ${details.state}.` }
}

/** From the worst to the best. */
const WORST_FIRST: readonly ServiceState[] = ['failed', 'unhealthy', 'restarting', 'missing', 'starting', 'stopped', 'finished', 'running']

/** Of the containers of one service, the one that is worst off. */
export function worstOf<Details extends Seen>(found: readonly (Details | undefined)[], known: Omit<Known, 'details'>) {
  const seen = found.map((details) => ({ details, ...stateOf({ ...known, details }) }))
  return seen.reduce((a, b) => (WORST_FIRST.indexOf(b.state) < WORST_FIRST.indexOf(a.state) ? b : a))
}

function ofRunning({ health, healthOutput }: Seen): { state: ServiceState; reason: string } {
  if (health === 'starting') return { state: 'starting', reason: '' }
  if (health !== 'unhealthy') return { state: 'running', reason: '' }
  const output = healthOutput.slice(-LONGEST_OUTPUT)
  return { state: 'unhealthy', reason: `Its health check fails${output && `: ${output}`}` }
}

function whyEnded({ exitCode, oomKilled }: Seen): string {
  return oomKilled ? 'It ran out of memory and was killed.' : `It exited with code ${exitCode ?? 'unknown'}`
}
