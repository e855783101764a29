import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DeployLab, openDeployLab, until, webFiles } from '../labs/deploy-lab.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

const DISK_MEGABYTES = 128
/** Far longer than a response takes on a busy machine, and far shorter than a server that hangs. */
export const SILENT_AFTER_MS = 20_000
const TICKS_PER_SECOND = 100
const UNFINISHED = "('pending', 'building', 'deploying')"

export type FullDisk = {
  /** How long each response of /health took while the disk was full; no response counts as the timeout. */
  healthMs: number[]
  silent: number
  fullSeconds: number
  cpuSeconds: number
  logBytes: number
  /** From the moment there is room until the last deployment has ended. */
  goesOnSeconds: number
  statuses: string[]
  mostAttempts: number
}

/** A lab whose data directory is a small disk of its own. The engine is on another one. */
export async function openLabOnSmallDisk(tuning: Record<string, number> = {}) {
  const disk = await mountSmallDisk(DISK_MEGABYTES)
  if (disk.unavailable !== undefined) return { unavailable: disk.unavailable }
  const lab = await openDeployLab({ runs: 'as a process', dataDir: disk.directory, tuning: { diskFloorBytes: 1024 * 1024, ...tuning } })
  return {
    lab,
    disk,
    async [Symbol.asyncDispose](): Promise<void> {
      await lab[Symbol.asyncDispose]()
      await disk[Symbol.asyncDispose]()
    },
  }
}

/** No byte is left, and the space reserved in the database's log is used up too. */
export async function fillCompletely(lab: DeployLab, disk: SmallDisk, appId: number): Promise<void> {
  await disk.fill()
  for (let n = 0; n < 500; n += 1) {
    const body = { appId, key: `KEY_${n}`, value: 'x'.repeat(60_000) }
    const answer = await lab.berth.raw('POST', '/api/apps/envs/create', { cookie: lab.owner.cookie, body })
    if (answer.status === 503) return
  }
  throw new Error('the disk did not become full')
}

/** Another process immediately takes all space that becomes free. */
export function keepFull(disk: SmallDisk): AsyncDisposable {
  let isOver = false
  const filling = (async () => {
    while (!isOver) {
      await disk.fill()
      await sleep(5)
    }
  })()
  return {
    async [Symbol.asyncDispose](): Promise<void> {
      isOver = true
      await filling
    },
  }
}

async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND // user and system time
}

/** How long the answer took; as long as can be when there was none. */
export async function askHealth(baseUrl: string): Promise<number> {
  const from = performance.now()
  await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(SILENT_AFTER_MS) }).catch(() => undefined)
  return performance.now() - from
}

/** Queues deployments, several of them of one app, keeps the disk full for a while, and then frees it. */
export async function runOnFullDisk(
  { lab, disk }: { lab: DeployLab; disk: SmallDisk },
  options: { seconds: number; apps: number; queued: number; askEveryMs?: number },
): Promise<FullDisk> {
  const files = (index: number) => webFiles(`app ${index}`, [`RUN echo ${Math.random()}; sleep 2`])
  const apps = await Promise.all(Array.from({ length: options.apps }, async (_, index) => await lab.createApp(files(index))))
  const other = await lab.createApp(webFiles('not deployed'))
  const ids: number[] = []
  for (let n = 0; n < options.queued; n += 1) ids.push(await lab.add(apps[n % apps.length]?.id ?? 0))
  await lab.reaches(ids[0] ?? 0, 'building_image')
  await fillCompletely(lab, disk, other.id)

  const pid = lab.berth.pid()
  const [cpuBefore, logBefore] = [await cpuSeconds(pid), lab.berth.log().length]
  const from = performance.now()
  const healthMs: number[] = []
  while (performance.now() - from < options.seconds * 1000) {
    healthMs.push(await askHealth(lab.berth.baseUrl))
    await disk.fill() // freed space is taken by another process
    await sleep(options.askEveryMs ?? 250)
  }
  const fullSeconds = (performance.now() - from) / 1000
  const spent = { cpuSeconds: (await cpuSeconds(pid)) - cpuBefore, logBytes: lab.berth.log().length - logBefore }

  await disk.free()
  const room = performance.now()
  const left = () => lab.rows<{ id: number }>(`select id from deployment where status in ${UNFINISHED}`)
  await until(left, (rows) => rows.length === 0, 300_000)
  const goesOnSeconds = (performance.now() - room) / 1000
  const rows = lab.rows<{ status: string; attempts: number }>('select status, attempts from deployment')
  return {
    healthMs,
    silent: healthMs.filter((ms) => ms >= SILENT_AFTER_MS).length,
    fullSeconds,
    ...spent,
    goesOnSeconds,
    statuses: rows.map(({ status }) => status),
    mostAttempts: Math.max(...rows.map(({ attempts }) => attempts)),
  }
}
