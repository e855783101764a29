import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sizeWords } from '@berth/contract'
import type { Config } from '../../config.ts'
import { createCertificateFiles } from '../../edge/certificates/certificate-files.ts'
import { edgePaths } from '../../edge/paths.ts'
import { createEngine } from '../../engine/engine.ts'
import { hasVulnerableBuilder } from '../../engine/vulnerable-builder.ts'
import { SourceRefused } from '../../git/errors.ts'
import { createVersionCheck } from '../../git/git-version.ts'
import { freeBytes } from '../../store/disk-space.ts'
import { migrations } from '../../store/migrations/index.ts'
import { hasData } from '../../store/open.ts'
import { databasePath } from '../../store/sqlite/open.ts'
import { healthAt } from './health-at.ts'
import { missingFromEngine } from './missing-from-engine.ts'
import { type Instance, readInstance } from './store.ts'

/** The result of one check: fine, a warning, or something that stops Berth or its apps; and what to do about it. */
export type Finding = { readonly level: 'ok' | 'warning' | 'problem'; readonly message: string; readonly toDo?: string }
type Check = { readonly name: string; readonly run: (context: Context) => Promise<readonly Finding[]> }
type Context = { readonly config: Config; readonly instance: Instance | undefined; readonly now: Date }

const LOW_DISK_BYTES = 5 * 1024 ** 3
const MOST_SHOWN = 50
const DAY_MS = 24 * 60 * 60 * 1000
const ANSWER_WITHIN_MS = 5000

const ok = (message: string): Finding[] => [{ level: 'ok', message }]
const problem = (message: string, toDo: string): Finding[] => [{ level: 'problem', message, toDo }]
const warning = (message: string, toDo: string): Finding[] => [{ level: 'warning', message, toDo }]

/** LIST of the checks of `doctor`. */
const CHECKS: readonly Check[] = [
  { name: 'Data directory', run: async ({ config }) => dataDirectory(config.dataDir) },
  {
    name: 'Database',
    run: async ({ config, instance }) =>
      config.database.kind === 'sqlite' ? database(config.dataDir, instance) : await postgres(config, instance),
  },
  { name: 'Disk', run: async ({ config }) => await disk(config.dataDir) },
  { name: 'Clock', run: async ({ instance, now }) => clock(instance, now) },
  { name: 'Git', run: async ({ config }) => await git(config.path) },
  { name: 'Docker', run: async ({ config }) => await docker(config) },
  { name: 'Server', run: async ({ config }) => await server(config.port) },
  { name: 'Certificates', run: async ({ config, now }) => await certificates(config.dataDir, now) },
  { name: 'Domains', run: async ({ instance }) => domains(instance) },
  { name: 'Apps', run: async ({ config, instance }) => (instance ? await apps(config, instance) : []) },
]

export async function runChecks(config: Config, now: Date, onFinding: (name: string, finding: Finding) => void): Promise<Finding[]> {
  const instance = await readable(config)
  const all: Finding[] = []
  for (const { name, run } of CHECKS) {
    const findings = await run({ config, instance, now }).catch((cause: unknown) =>
      problem(`could not be checked: ${cause instanceof Error ? cause.message : String(cause)}`, 'Fix that, then run the checks again.'),
    )
    for (const finding of findings) onFinding(name, finding)
    all.push(...findings)
  }
  return all
}

/** Undefined also if the database is damaged or too old for these queries: another check reports that. */
async function readable(config: Config): Promise<Instance | undefined> {
  try {
    return (await hasData(config)) ? await readInstance(config) : undefined
  } catch {
    return undefined
  }
}

function dataDirectory(dataDir: string): Finding[] {
  if (!existsSync(dataDir))
    return problem(`${dataDir} does not exist`, "Set BERTH_DATA_DIR to Berth's data directory, or start Berth once.")
  try {
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch {
    return problem(`${dataDir} cannot be written by this user`, 'Run Berth as the user who owns it.')
  }
  const open = [dataDir, join(dataDir, 'secrets.key'), join(dataDir, 'session.key')].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
  )
  if (open.length > 0) return warning(`${open.join(', ')} can be read by other users`, `chmod go-rwx ${open.join(' ')}`)
  return ok(dataDir)
}

function database(dataDir: string, instance: Instance | undefined): Finding[] {
  if (!existsSync(databasePath(dataDir))) return warning('there is none yet', 'Start Berth once.')
  if (!instance?.isWhole) return problem('the database is damaged', 'Stop Berth and restore a backup (docs/operating.md).')
  return known(dataDir, instance, 'whole')
}

function known(dataDir: string, instance: Instance, state: string): Finding[] {
  const newest = migrations.at(-1)?.version ?? 0
  if (instance.schemaVersion > newest)
    return problem(
      `its schema version is ${instance.schemaVersion}, but this Berth only supports ${newest}`,
      'Use the newer version of Berth.',
    )
  if (!existsSync(join(dataDir, 'secrets.key')))
    return problem('its key secrets.key is missing', 'Restore it from a backup; nothing else can decrypt the secrets in the database.')
  return ok(`${state}, schema version ${instance.schemaVersion}`)
}

/** What is in it is checked by PostgreSQL itself. */
async function postgres(config: Config, instance: Instance | undefined): Promise<Finding[]> {
  if (!(await hasData(config))) return warning('PostgreSQL answers, and the database is empty', 'Start Berth once.')
  return instance
    ? known(config.dataDir, instance, 'PostgreSQL answers')
    : problem('its tables cannot be read', 'See the log of PostgreSQL.')
}

async function disk(dataDir: string): Promise<Finding[]> {
  const free = await freeBytes(dataDir)
  const shown = `${sizeWords(free)} free`
  return free < LOW_DISK_BYTES ? warning(shown, 'Free space: the Health page lists what images, build cache and logs take.') : ok(shown)
}

/** Rows from the future mean that the clock was set back, which breaks certificates and sessions. */
function clock(instance: Instance | undefined, now: Date): Finding[] {
  const ahead = instance === undefined ? 0 : Date.parse(instance.newestRowAt) - now.getTime()
  if (ahead > 60_000) return problem(`the database was written ${Math.round(ahead / 60_000)} minutes in the future`, 'Set the clock.')
  return ok(now.toISOString())
}

async function git(path: string): Promise<Finding[]> {
  try {
    await createVersionCheck({ path })()
    return ok('installed')
  } catch (cause) {
    if (cause instanceof SourceRefused) return problem(cause.message, 'Update git.')
    return problem('git is not installed', 'Install git (Debian: apt-get install git).')
  }
}

async function docker(config: Config): Promise<Finding[]> {
  const engine = createEngine({ address: config.engine, log: { info: () => undefined, warn: () => undefined }, now: () => new Date() })
  try {
    const { version } = await engine.facts(AbortSignal.timeout(ANSWER_WITHIN_MS))
    if (!hasVulnerableBuilder(version)) return ok(version)
    return warning(`${version} has known security issues in its builder`, 'Install 25.0.2 or newer if people you do not trust deploy here.')
  } catch {
    return problem('the engine does not answer', 'Start Docker, or set DOCKER_HOST to where it listens.')
  }
}

async function server(port: number): Promise<Finding[]> {
  try {
    const { status, version, checks } = await healthAt(port, AbortSignal.timeout(ANSWER_WITHIN_MS))
    if (status === 'ok') return ok(`Berth ${String(version)} answers on port ${port}`)
    return problem(`it answers on port ${port} and says ${JSON.stringify(checks ?? status)}`, 'See the Health page.')
  } catch {
    return warning(`nothing answers on port ${port}`, 'Start Berth, or set PORT to its port.')
  }
}

async function certificates(dataDir: string, now: Date): Promise<Finding[]> {
  const store = createCertificateFiles({ dir: edgePaths(join(dataDir, 'edge')).certificatesDir })
  const all = existsSync(join(dataDir, 'edge')) ? await store.list() : []
  const late = all.filter(({ notAfter }) => notAfter.getTime() - now.getTime() < 7 * DAY_MS)
  if (late.length === 0) return ok(`${all.length} in use`)
  return shortened(late, ({ host, notAfter }) =>
    warning(`the one for ${host} expires at ${notAfter.toISOString()}`, "Open the app's Domains tab: it says why it was not renewed."),
  )
}

function domains(instance: Instance | undefined): Finding[] {
  const wrong = instance?.wrongDomains ?? []
  if (wrong.length === 0) return ok('no wrong DNS records found')
  return shortened(wrong, ({ host, reason }) =>
    warning(reason.includes(host) ? reason : `${host}: ${reason}`, 'Change the DNS record where the domain is registered.'),
  )
}

async function apps(config: Config, instance: Instance): Promise<Finding[]> {
  const { apps: gone, volumes } = await missingFromEngine(config, instance)
  if (gone.length + volumes.length === 0) return ok(`${instance.liveApps.length} live, all with their containers and volumes`)
  return [
    ...shortened(gone, (name) => warning(`${name} has no container here`, 'Deploy it again.')),
    ...shortened(volumes, ({ app, names, command }) =>
      problem(
        `the data of ${app} is not on this machine: ${names.join(', ')}`,
        `Bring it here before you deploy it again: stop Berth, run the command at the end, copy the data into the volume, and start Berth. The command: ${command}`,
      ),
    ),
  ]
}

/** Many findings of one kind say no more than some of them. */
function shortened<Item>(all: readonly Item[], findingsOf: (item: Item) => Finding[]): Finding[] {
  const more = all.length - MOST_SHOWN
  return [
    ...all.slice(0, MOST_SHOWN).flatMap(findingsOf),
    ...(more > 0 ? warning(`and ${more} more of this kind`, 'Fix the others first.') : []),
  ]
}
