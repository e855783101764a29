import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { inheritedEnvironment, readConfig } from '../config.ts'
import { createStep } from '../lib/step.ts'
import { VERSION } from '../lib/version.ts'
import { createCarryOut } from './carry-out.ts'
import { createDataCopies } from './data-copies.ts'
import { compileCacheOf, createLayout, rootOf } from './layout.ts'
import { startServer } from './server-child.ts'
import { createSupervisor } from './supervise.ts'
import { createUpdateRecords } from './update-records.ts'
import { createWorkingLock } from './working-lock.ts'

const OWN_PLACE = 'supervisor/main.js'

/** What makes a supervisor another one. Most versions have the same one but for their number. */
function codeOf(release: string, version: string): string {
  const files = [OWN_PLACE, 'bin/berth-supervisor'].map((name) => readFileSync(join(release, name), 'utf8'))
  return createHash('sha256').update(files.join('\0').replaceAll(version, '')).digest('hex')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function main(): Promise<void> {
  process.stdout.on('error', () => undefined) // standard output may be a file on a full disk
  const root = rootOf(realpathSync(process.argv[1] ?? ''), OWN_PLACE)
  if (root === undefined) throw new Error('the supervisor runs an installed release; a checkout is started with `npm start`')
  process.umask(0o077)
  const { dataDir, database, tuning, supervisorFault } = readConfig()
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())
  const layout = createLayout(root)
  const ownCode = codeOf(layout.releaseDir(VERSION), VERSION) // now: a later update may remove this release
  const isCurrent = () => codeOf(layout.releaseDir(layout.current()), layout.current()) === ownCode
  const records = createUpdateRecords(join(dataDir, 'updates'), () => new Date())
  const step = createStep(supervisorFault, (n, name) => say(`supervisor step ${n}: ${name}`))
  const copies = createDataCopies({ dataDir, database: database.kind, layout, stopping: stopping.signal })
  const supervisor = createSupervisor({
    dataDir,
    layout,
    records,
    carryOut: createCarryOut({ dataDir, copies, layout, records, step, stopping: stopping.signal }),
    working: createWorkingLock(records.directory),
    start: ({ version, mode }, begins, asked) => {
      const env = inheritedEnvironment({
        BERTH_DATA_DIR: dataDir,
        BERTH_UPDATE_MODE: mode,
        BERTH_UPDATE_BEGIN: begins,
        NODE_COMPILE_CACHE: compileCacheOf(dataDir, version),
      })
      return startServer(layout.program(version), env, asked)
    },
    isCurrent,
    becomeCurrent: () => {
      const program = join(layout.releaseDir(layout.current()), 'bin', 'berth-supervisor')
      if (!isCurrent()) process.execve?.(program, [program], inheritedEnvironment({}))
    },
    tuning,
    say,
    stopping: stopping.signal,
  })
  await supervisor.run()
}

await main()
