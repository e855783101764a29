import { setTimeout as sleep } from 'node:timers/promises'
import { cleanLine } from '../../lib/clean-line.ts'
import { retry, steadily } from '../../lib/retry.ts'
import { isNotFound } from '../api/errors.ts'
import { field, filters, items, labelFilter, text } from '../api/json.ts'
import { createLogReader } from '../api/log-frames.ts'
import type { Transport } from '../api/transport.ts'
import { labelsOf, type Maker } from '../labels.ts'
import { authHeader, type RegistryCredentials } from '../registry.ts'
import { answered } from './swarm.ts'

/** One container on one node, which is not started again when it ends. */
export type SingleTask = {
  readonly name: string
  readonly owner: Maker
  readonly nodeId: string
  readonly network: string
  readonly image: string
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** For the registry of its image. */
  readonly credentials?: RegistryCredentials
}
type Log = { warn(fields: object, message: string): void }
export type TaskState = { readonly state: string; readonly address: string; readonly error: string }

const NOBODY = '65534:65534'
const MEMORY_BYTES = 128 * 1024 * 1024
const MOST_PROCESSES = 32
const STOP_NS = 1e9
const LOG_MS = 10_000
/** The programs of checks print a line each. Another server may send more. */
const MOST_OUTPUT_BYTES = 64 * 1024
const LONGEST_ERROR = 500
const ENDED = ['complete', 'failed', 'rejected', 'shutdown', 'orphaned']
const LOOK_MS = 250
/** A network is in use for a few seconds after its last task was removed. */
const DETACHED_WITHIN_MS = 15_000

/** Services with a single task, for checks, and the overlay network between them. */
export function createServices({ transport, log }: { transport: Transport; log: Log }) {
  const { createOverlay, removeOverlays } = createOverlays({ transport, log })

  async function start(task: SingleTask): Promise<string> {
    const headers = authHeader(task.credentials)
    const created = await answered(transport.json({ method: 'POST', path: '/services/create', body: serviceRequest(task), headers }))
    return text(field(created, 'ID'))
  }

  async function look(serviceId: string): Promise<TaskState> {
    const query = { filters: filters({ service: [serviceId] }) }
    const [task] = items(await answered(transport.json({ method: 'GET', path: '/tasks', query })))
    const [attached] = items(field(task, 'NetworksAttachments'))
    return {
      state: text(field(task, 'Status', 'State')),
      address: text(items(field(attached, 'Addresses'))[0]).replace(/\/\d+$/, ''),
      error: cleanLine(text(field(task, 'Status', 'Err'))).slice(0, LONGEST_ERROR),
    }
  }

  /** Until it runs, or has ended; otherwise its state when the time was over. */
  async function waitFor(
    serviceId: string,
    wanted: 'running' | 'ended',
    limit: { withinMs: number; signal: AbortSignal },
  ): Promise<TaskState> {
    const giveUpAt = performance.now() + limit.withinMs
    for (;;) {
      const found = await look(serviceId)
      const isThere = ENDED.includes(found.state) || (wanted === 'running' && found.state === 'running')
      if (isThere || performance.now() > giveUpAt) return found
      await sleep(LOOK_MS, undefined, { signal: limit.signal })
    }
  }

  /** The beginning of what it printed. The manager fetches it from the node. */
  async function output(serviceId: string): Promise<string[]> {
    const query = { stdout: true, stderr: true, timestamps: true }
    const signal = AbortSignal.timeout(LOG_MS)
    const answer = await transport.stream({ method: 'GET', path: `/services/${serviceId}/logs`, query, signal })
    const reader = createLogReader({ isTty: false })
    const lines: string[] = []
    let left = MOST_OUTPUT_BYTES
    for await (const chunk of answer.chunks) {
      lines.push(...reader.push(chunk.subarray(0, left)).map(({ line }) => line))
      left -= chunk.length
      if (left <= 0) break
    }
    return [...lines, ...reader.end().map(({ line }) => line)]
  }

  /** All of this owner, with their networks. A network that stays is only logged: the next time removes it. */
  async function removeAll(owner: Maker): Promise<void> {
    const query = { filters: filters({ label: labelFilter(labelsOf(owner)) }) }
    for (const service of items(await answered(transport.json({ method: 'GET', path: '/services', query })))) {
      const path = `/services/${text(field(service, 'ID'))}`
      await transport.json({ method: 'DELETE', path }).catch(unlessGone)
    }
    await removeOverlays(owner)
  }

  return { start, waitFor, output, removeAll, createOverlay }
}

function createOverlays({ transport, log }: { transport: Transport; log: Log }) {
  async function createOverlay(name: string, owner: Maker): Promise<void> {
    const body = { Name: name, CheckDuplicate: true, Driver: 'overlay', Attachable: true, Labels: labelsOf(owner) }
    await answered(transport.json({ method: 'POST', path: '/networks/create', body }))
  }

  async function removeOverlays(owner: Maker): Promise<void> {
    const query = { filters: filters({ label: labelFilter(labelsOf(owner)) }) }
    const left = items(await answered(transport.json({ method: 'GET', path: '/networks', query })))
    const delayMs = steadily(LOOK_MS * 2, DETACHED_WITHIN_MS)
    for (const network of left) {
      const path = `/networks/${encodeURIComponent(text(field(network, 'Id')))}`
      const remove = async () => await transport.json({ method: 'DELETE', path }).catch(unlessGone)
      await retry(remove, { isTransient: () => true, delayMs }).catch((err: unknown) =>
        log.warn({ network: text(field(network, 'Name')), err }, 'a network of checks could not be removed'),
      )
    }
  }

  return { createOverlay, removeOverlays }
}

export type Services = ReturnType<typeof createServices>

function unlessGone(cause: unknown): void {
  if (!isNotFound(cause)) throw cause
}

/** As for apps, everything is denied that is not needed. API 1.41 drops `NoNewPrivileges` without a word, so nobody may rely on it. */
function serviceRequest(task: SingleTask): Record<string, unknown> {
  const labels = labelsOf(task.owner)
  return {
    Name: task.name,
    Labels: labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: task.image,
        Command: [...task.command],
        Env: Object.entries(task.environment).map(([key, value]) => `${key}=${value}`),
        User: NOBODY,
        Labels: labels,
        ReadOnly: true,
        StopGracePeriod: STOP_NS,
        CapabilityDrop: ['ALL'],
        Privileges: { NoNewPrivileges: true },
      },
      Resources: { Limits: { MemoryBytes: MEMORY_BYTES, Pids: MOST_PROCESSES } },
      RestartPolicy: { Condition: 'none' },
      Placement: { Constraints: [`node.id==${task.nodeId}`] },
      Networks: [{ Target: task.network }],
      LogDriver: { Name: 'json-file', Options: { 'max-size': '1m', 'max-file': '1' } },
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
  }
}
