import { setTimeout as sleep } from 'node:timers/promises'
import type { NodesLab } from '../../testing/labs/nodes-lab.ts'
import { newestEvent } from './follow-events.ts'

const FAULTS = ['kill', 'pause', 'cut'] as const
type Fault = (typeof FAULTS)[number]
type Options = { names: readonly string[]; count: number; pauseMs: number; appIds: readonly number[]; cookie: string; least: number }

const BETWEEN_MS = 4000
const WAITING_FOR_EACH = 2

const oneOf = <Value>(values: readonly Value[]): Value => {
  const value = values[Math.floor(Math.random() * values.length)]
  if (value === undefined) throw new Error('there is nothing to choose from')
  return value
}

/** Kills, pauses and cuts off one node after the other at random moments, while every app has deployments in the queue. */
export function createRandomFaults(lab: NodesLab, { names, count, pauseMs, appIds, cookie, least }: Options) {
  const away = new Set<string>()
  const reachable = () => names.filter((name) => !away.has(name))
  const done: Record<Fault, number> = { kill: 0, pause: 0, cut: 0 }
  let added = 0

  async function strike(name: string, fault: Fault): Promise<void> {
    const node = lab.node(name)
    if (fault === 'kill') {
      await node.kill9()
      await sleep(Math.random() * 10_000)
      await node.startAgain().catch(async () => await node.startAgain()) // as a service manager would
    } else if (fault === 'pause') {
      process.kill(node.pid(), 'SIGSTOP')
      await sleep(pauseMs)
      process.kill(node.pid(), 'SIGCONT')
    } else {
      lab.relay(name).cut()
      await sleep(pauseMs * (0.3 + Math.random() * 0.7))
      lab.relay(name).heal()
    }
  }

  async function strikeAll(): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      await sleep(Math.random() * BETWEEN_MS)
      const [name, fault] = [oneOf(names), FAULTS[n % FAULTS.length] ?? 'kill']
      away.add(name)
      await strike(name, fault)
      away.delete(name)
      done[fault] += 1
    }
  }

  async function queueLength(appId: number): Promise<number> {
    const [row] = await lab.rows<{ n: string }>(`select count(*) as n from deployment where app_id = ${appId} and status = 'pending'`)
    return Number(row?.n)
  }

  /** Whoever asks a node that is just lost asks another one: what was confirmed counts. */
  async function add(appId: number): Promise<void> {
    const asked = lab.node(oneOf(reachable())).raw('POST', '/api/deployment/add', { cookie, body: { appId } })
    const answer = await Promise.race([asked.catch(() => undefined), sleep(5000, undefined)])
    if (answer?.status === 200) added += 1
  }

  async function keepQueueFull(isOver: () => boolean): Promise<void> {
    while (!isOver() || added < least) {
      for (const appId of appIds) if ((await queueLength(appId)) < WAITING_FOR_EACH) await add(appId)
      await sleep(500)
    }
  }

  async function run(): Promise<void> {
    let isOver = false
    const striking = strikeAll().finally(() => (isOver = true))
    await Promise.all([striking, keepQueueFull(() => isOver)])
  }

  return { run, reachable, done, added: () => added, newestEvent: async () => await newestEvent(lab) }
}
