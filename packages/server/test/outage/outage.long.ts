import { expect, it } from 'vitest'
import { kindOfCall, type OutageCell, type OutageFault, type OutageLab, openOutageLab, runOutageCell } from './outage-matrix.ts'
import { OUTAGE_ROWS, type OutageRow } from './outage-rows.ts'

const LABS = 3
const OUTAGES: readonly OutageFault[] = [{ kind: 'reset' }, { kind: 'cut', ms: 5000 }, { kind: 'cut', ms: 30_000 }]
const ONLY = new RegExp(process.env['OUTAGE'] ?? '')

type Task = (lab: OutageLab) => Promise<readonly OutageCell[]>

/** Each lab has a server and a proxy of its own, so that a cut meets one row alone. */
async function run(tasks: readonly Task[]): Promise<OutageCell[]> {
  const waiting = [...tasks]
  const cells: OutageCell[] = []
  const work = async () => {
    await using lab = await openOutageLab()
    for (let task = waiting.shift(); task; task = waiting.shift()) cells.push(...(await task(lab)))
  }
  await Promise.all(Array.from({ length: LABS }, work))
  return cells
}

function told(cell: OutageCell): OutageCell {
  const { stage, fault, outcome, seconds, wrong } = cell
  process.stdout.write(`${stage}, ${fault}: ${outcome}, ${seconds} s${wrong.map((words) => `\n    WRONG ${words}`).join('')}\n`)
  return cell
}

const broken = (cells: readonly OutageCell[]) =>
  cells.filter(({ wrong }) => wrong.length > 0).map(({ stage, fault, wrong }) => [stage, fault, ...wrong])

const rows = OUTAGE_ROWS.filter(({ stage }) => ONLY.test(stage))

it('an engine that is unreachable or resets connections, in every stage, fails no deployment', async () => {
  const tasks = rows.flatMap((row) =>
    OUTAGES.map(
      (fault): Task =>
        async (lab) => [told(await runOutageCell(lab, row, fault))],
    ),
  )
  const cells = await run(tasks)
  process.stdout.write(`${cells.length} cells, ${broken(cells).length} broken\n`)
  expect(broken(cells)).toEqual([])
})

/** One run without a fault says which calls there are; then each of them is refused once. */
const refusals =
  (row: OutageRow): Task =>
  async (lab) => {
    const { requests } = await runOutageCell(lab, row, undefined)
    const cells: OutageCell[] = []
    for (const call of new Set(requests.map(kindOfCall))) cells.push(told(await runOutageCell(lab, row, { kind: 'refuse', call })))
    return cells
  }

/** Other rows make the same calls at another moment. */
const REFUSED = new Set([
  'building_image: sent',
  'stopping_old',
  'rollback: creating',
  'app delete',
  'containers.stop',
  'containers.start',
  'database: creating',
  'compose: starting',
])

it('an engine that refuses one call, whichever, ends in success or in a failure that names it', async () => {
  const cells = await run(rows.filter(({ stage }) => REFUSED.has(stage)).map(refusals))
  process.stdout.write(`${cells.length} cells, ${broken(cells).length} broken\n`)
  expect(broken(cells)).toEqual([])
})

const LONG_OUTAGE = { kind: 'cut', ms: 100_000 } as const
const LEFT_ALONE = new Set([
  'cloning_repo',
  'building_image: running',
  'stopping_old',
  'starting_new: creating',
  'starting_new: stability window',
  'success: removing the old release',
  'rollback: creating',
  'app delete',
  'compose: starting',
])

it('an engine that is unreachable for too long fails the deployment with a clear error, and everything recovers once it is back', async () => {
  const tasks = rows
    .filter(({ stage }) => LEFT_ALONE.has(stage))
    .map(
      (row): Task =>
        async (lab) => [told(await runOutageCell(lab, row, LONG_OUTAGE))],
    )
  const cells = await run(tasks)
  process.stdout.write(`${cells.length} cells, ${broken(cells).length} broken\n`)
  expect(broken(cells)).toEqual([])
})
