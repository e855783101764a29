import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { until } from '../../testing/labs/deploy-lab.ts'
import { openNodesLab } from '../../testing/labs/nodes-lab.ts'

type Row = { id: number; app_id: number; number: number; status: string; is_active: number; started_at: string; finished_at: string }
type Job = { worker: string | null }

const PAUSE_MS = 40_000

it('ends every deployment once and in order, though one node is killed and another paused past its leases', {
  timeout: 300_000,
}, async () => {
  await using lab = await openNodesLab(['a', 'b', 'c'])
  const appIds = (await lab.createApps(3)).map(({ id }) => id)
  const owner = await lab.node('a').owner()
  for (let round = 0; round < 2; round += 1) for (const appId of appIds) await owner.call('deployments.add', { appId })
  const holders = async () => new Set((await lab.rows<Job>('select worker from job')).map(({ worker }) => worker?.split('/')[0]))
  const rows = async () => await lab.rows<Row>('select * from deployment order by app_id, number')
  const [first] = await until(
    async () => [...(await holders())].filter((name) => name !== undefined),
    (names) => names.length > 0,
  )
  const paused = lab.node(first ?? '')
  process.kill(paused.pid(), 'SIGSTOP')
  const resumed = sleep(PAUSE_MS).then(() => process.kill(paused.pid(), 'SIGCONT'))
  const others = ['a', 'b', 'c'].filter((name) => name !== first)
  await lab.node(others[0] ?? '').kill9()
  const ended = (all: readonly Row[]) => all.every(({ status }) => !['pending', 'building', 'deploying'].includes(status))
  const [all] = await Promise.all([until(rows, ended, 200_000), resumed])
  await sleep(3000) // the node that woke up notices that its work is not its own any more
  expect(await rows()).toEqual(all)
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'success'))
  const survivor = lab.node(others[1] ?? '')
  for (const { id } of all) {
    const textAt = async (node: typeof paused) => (await node.raw('GET', `/api/deployment/logs/${id}`, { cookie: owner.cookie })).text
    const text = await textAt(survivor)
    expect(text.match(/^(Deployed successfully|Failed: .*|Cancelled)$/gm), text).toEqual(['Deployed successfully'])
    expect(await textAt(paused)).toBe(text)
  }
  const disorder = all.filter((row, index) => {
    const before = all[index - 1]
    return before?.app_id === row.app_id && (row.number !== before.number + 1 || row.started_at < before.finished_at)
  })
  expect(disorder).toEqual([])
  const live = all.filter(({ is_active }) => is_active === 1).map(({ id }) => id)
  const started = async () => (await lab.engine.containers.list({ labels: lab.labels })).map(({ owner: of }) => of.deploymentId ?? 0)
  const sorted = (ids: readonly (number | string)[]) => ids.map(String).toSorted().join()
  expect(live).toHaveLength(3)
  await until(started, (found) => sorted(found) === sorted(live), 60_000)
})
