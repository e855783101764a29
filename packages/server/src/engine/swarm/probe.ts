import { randomBytes } from 'node:crypto'
import { createSemaphore } from '../../lib/semaphore.ts'
import { count, field, items } from '../api/json.ts'
import type { Maker } from '../labels.ts'
import type { RegistryCredentials } from '../registry.ts'
import { gossipReach, type Reach } from './gossip-reach.ts'
import { PROBE, RESPONDER } from './probe-programs.ts'
import type { Services, TaskState } from './services.ts'

type Log = { warn(fields: object, message: string): void }

export type Probed =
  /** Its container could not be started on that server, or said nothing. */
  | { readonly is: 'failed'; readonly reason: string }
  /** That server does not have the image of the check, so nothing was learned about it. */
  | { readonly is: 'without image' }
  | {
      readonly is: 'done'
      readonly hasNoNewPrivileges: boolean
      /** How far its clock is ahead of the one here. */
      readonly clockMs: number
      /** Whether anything passes between the servers on an overlay network, and whether packets of full size do. */
      readonly passes: boolean
      readonly isFull: boolean
      /** Of what its containers must not reach, what they did. */
      readonly reached: readonly string[]
      /** Whether its engine could pull an image from this Berth; undefined if it does not have to. */
      readonly pulls?: boolean
      readonly gossip: { readonly tcp: Reach; readonly udp: Reach }
    }

type Done = Extract<Probed, { is: 'done' }>

type Target = {
  readonly instance: string
  readonly image: string
  readonly hereId: string
  readonly nodeId: string
  readonly address: string
  /** What containers there must not reach: addresses with a port, and `/udp` where it is one of UDP. */
  readonly closed: readonly string[]
  /** One that it does not have, to see whether it can pull it. */
  readonly pull?: { readonly image: string; readonly credentials: RegistryCredentials } | undefined
}

const START_MS = 30_000
const END_MS = 60_000
const PULL_MS = 30_000
/** The image that is pulled has no such program, so its container ends at once. One that could not be pulled is rejected. */
const NOTHING = ['/nothing']
const STARTED = ['failed', 'complete', 'running']

/** Runs a container on another node that tries what releases will need there, against one on this node. One check at a time. */
export function createProbe({ services, log, onRan }: { services: Services; log: Log; onRan: (nodeId: string) => void }) {
  const oneAtATime = createSemaphore(1)

  async function run(target: Target, signal: AbortSignal): Promise<Probed> {
    const { instance, image } = target
    const name = `berth-${instance}-check-${randomBytes(4).toString('hex')}`
    const shared = { owner: ownerOf(instance), network: name, image }
    const there = { nodeId: target.nodeId, environment: {} }
    await services.removeAll(shared.owner) // what a crash left
    await services.createOverlay(name, shared.owner)
    try {
      const pulling = target.pull && (await services.start({ ...shared, ...target.pull, ...there, name: `${name}-pull`, command: NOTHING }))
      const responder = { ...shared, name: `${name}-here`, nodeId: target.hereId, environment: {} }
      const here = await services.start({ ...responder, command: ['node', '-e', RESPONDER] })
      const running = await services.waitFor(here, 'running', { withinMs: START_MS, signal })
      if (running.state !== 'running') return { is: 'failed', reason: `On this server: ${running.error || running.state}` }
      const environment = { PEER: running.address, CLOSED: target.closed.join() }
      const probe = await services.start({ ...shared, ...there, name: `${name}-there`, environment, command: ['node', '-e', PROBE] })
      const ended = await services.waitFor(probe, 'ended', { withinMs: END_MS, signal })
      if (ended.state !== 'complete') return failed(ended)
      onRan(target.nodeId)
      const pulled = pulling && (await services.waitFor(pulling, 'ended', { withinMs: PULL_MS, signal }))
      const result = resultOf(target, await services.output(probe), await gossipReach(target.address))
      return { ...result, ...(pulled && { pulls: STARTED.includes(pulled.state) }) }
    } finally {
      // the result is worth more, and the next check removes what is left
      await services.removeAll(shared.owner).catch((err: unknown) => log.warn({ err }, 'a check could not be cleaned up'))
    }
  }

  return {
    probeServer: async (target: Target, signal: AbortSignal): Promise<Probed> =>
      await oneAtATime.run(async () => await run(target, signal)),
    /** What a crash left of checks; it waits for one that runs. */
    removeChecks: async (instance: string): Promise<void> => await oneAtATime.run(async () => await services.removeAll(ownerOf(instance))),
  }
}

function failed({ state, error }: TaskState): Probed {
  if (/no such image/i.test(error)) return { is: 'without image' }
  return { is: 'failed', reason: error || `It is ${state || 'not started'}.` }
}

function ownerOf(instance: string): Maker {
  return { instance, kind: 'check' }
}

function resultOf({ closed }: Target, there: readonly string[], gossip: Done['gossip']): Probed {
  const said = jsonIn(there)
  if (said === undefined) return { is: 'failed', reason: 'Its output did not arrive.' }
  return {
    is: 'done',
    hasNoNewPrivileges: field(said, 'noNewPrivileges') === true,
    clockMs: count(field(said, 'clockMs')),
    passes: field(said, 'passes') === true,
    isFull: field(said, 'isFull') === true,
    reached: closed.filter((each) => items(field(said, 'reached')).includes(each)),
    gossip,
  }
}

/** The programs print one line of JSON; Node.js may print warnings beside it. */
function jsonIn(lines: readonly string[]): unknown {
  for (const line of lines) {
    try {
      if (line.startsWith('{')) return JSON.parse(line)
    } catch {
      continue // another server's output, cut short
    }
  }
  return undefined
}
