import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { until } from '../../testing/labs/deploy-lab.ts'
import { openNodesLab } from '../../testing/labs/nodes-lab.ts'
import { followEvents } from './follow-events.ts'
import { createRandomFaults } from './random-faults.ts'

/** Fewer or shorter ones with these: `NODE_FAULTS=6 NODE_PAUSE_MS=40000 NODE_DEPLOYMENTS=20`. */
const COUNT = Number(process.env['NODE_FAULTS'] ?? 50)
const PAUSE_MS = Number(process.env['NODE_PAUSE_MS'] ?? 60_000)
const DEPLOYMENTS = Number(process.env['NODE_DEPLOYMENTS'] ?? 100)
const APPS = 5

type Row = { id: number; app_id: number; number: number; status: string; is_active: number; started_at: string; finished_at: string }

it('kills, pauses and cuts of one node at random moments lose nothing, repeat nothing, and change no order', async () => {
  const names = ['a', 'b', 'c']
  await using lab = await openNodesLab(names)
  const appIds = (await lab.createApps(APPS)).map(({ id }) => id)
  const { cookie } = await lab.node('a').owner()
  const faults = createRandomFaults(lab, { names, count: COUNT, pauseMs: PAUSE_MS, appIds, cookie, least: DEPLOYMENTS })
  const readers = await Promise.all(names.map(async () => await followEvents(lab, { cookie, reachable: faults.reachable })))
  const begunAt = performance.now()
  await faults.run()
  const rows = async () => await lab.rows<Row>('select * from deployment order by app_id, number')
  const ended = (all: readonly Row[]) => all.every(({ status }) => !['pending', 'building', 'deploying'].includes(status))
  const all = await until(rows, ended, 900_000)
  const seconds = Math.round((performance.now() - begunAt) / 1000)
  await sleep(5000) // whoever woke up last notices that its work is not its own any more
  expect(await rows()).toEqual(all)
  process.stdout.write(`${JSON.stringify({ faults: faults.done, confirmed: faults.added(), deployments: all.length, seconds })}\n`)

  expect(all.length).toBeGreaterThanOrEqual(faults.added())
  expect(all.filter(({ status }) => status !== 'success')).toEqual([])
  const disorder = all.filter((row, index) => {
    const before = all[index - 1]
    return before?.app_id === row.app_id && (row.number !== before.number + 1 || row.started_at < before.finished_at)
  })
  expect(disorder).toEqual([])

  for (const { id } of all) {
    const textAt = async (name: string) => (await lab.node(name).raw('GET', `/api/deployment/logs/${id}`, { cookie })).text
    const texts = await Promise.all(names.map(textAt))
    expect(new Set(texts).size, texts.join('\n---\n')).toBe(1)
    expect(texts[0]?.match(/^(Deployed successfully|Failed: .*|Cancelled)$/gm), texts[0]).toEqual(['Deployed successfully'])
  }

  const last = await faults.newestEvent()
  const heard = await Promise.all(readers.map(async (reader) => await reader.endAt(last)))
  for (const [index, seqs] of heard.entries()) {
    const { first = 0 } = readers[index] ?? {}
    const stored = await lab.rows<{ seq: string }>(`select seq from event where seq > ${first} and seq <= ${last} order by seq`)
    expect(seqs.filter((seq) => seq <= last)).toEqual(stored.map(({ seq }) => Number(seq)))
  }

  const live = all.filter(({ is_active }) => is_active === 1).map(({ id }) => String(id))
  const started = async () => (await lab.engine.containers.list({ labels: lab.labels })).map(({ owner }) => String(owner.deploymentId))
  await until(started, (found) => found.toSorted().join() === live.toSorted().join(), 60_000)
})
