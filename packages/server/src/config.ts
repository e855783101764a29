import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { type EngineAddress, parseEngineAddress } from './engine/api/address.ts'
import type { LogFormat } from './lib/logger.ts'
import { StartRefused } from './lib/start-refused.ts'
import type { Fault } from './lib/step.ts'
import { TUNING, type Tuning } from './lib/tuning.ts'
import type { DatabaseConfig } from './store/open.ts'
import { rootOf } from './supervisor/layout.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

const UPDATE_MODES = ['normal', 'checked', 'rehearsal'] as const

const BEGINS = ['now', 'told'] as const

export type Config = Readonly<{
  host: string
  port: number
  dataDir: string
  /** SQLite in the data directory, or a PostgreSQL server. The URL may have a password in it. */
  database: DatabaseConfig
  /** Of one of several processes on that server; undefined if this is the only one. */
  nodeName: string | undefined
  owner: { email: string; password: string } | undefined
  engine: EngineAddress
  edge: { httpPort: number; httpsPort: number }
  workers: number
  privateSources: readonly string[]
  /** Where images of apps that run on other servers are pushed to, and pulled from by those; undefined if those pull from this Berth. */
  registry: { prefix: string; host: string; port: number; credentials: { host: string; username: string; password: string } } | undefined
  /** Where other servers pull images from this one. */
  imagePort: number
  /** CA certificates to trust for git hosts, in addition to the usual ones. */
  caFile: string | undefined
  /** Encrypts backups. */
  backupPassphrase: string | undefined
  /** The program itself, to run its commands in processes of their own. */
  program: readonly string[]
  /** Who may build on an engine whose builder has known vulnerabilities (docs/decisions/0009). */
  oldEngineBuilds: 'everyone' | 'admins'
  provision: 'auto' | 'off'
  logLevel: (typeof LOG_LEVELS)[number]
  /** Default: text on a terminal, JSON otherwise. */
  logFormat: LogFormat
  useColours: boolean
  /** PATH: the only other variable that the programs we run inherit. */
  path: string
  /** Where repositories are checked out. When we are root, git runs as the user `nobody`, which cannot read the data directory. */
  workDir: string
  gitRunsAs: { runAs?: { uid: number; gid: number } }
  tuning: Tuning
  fault: Fault | undefined
  supervisorFault: Fault | undefined
  updates: {
    /** Where an installed release is; undefined for a checkout. */
    root: string | undefined
    /** `rehearsal`: on a copy of the data, without engine and edge. `checked`: until it has proved itself, nothing is written. */
    mode: (typeof UPDATE_MODES)[number]
    /** `told`: it loads its code and opens nothing until its supervisor says so. */
    begin: (typeof BEGINS)[number]
    /** Replaces the one of the settings. */
    feed: string
    /** Replaces the keys that releases are signed with. */
    key: string
  }
}>

type Environment = Readonly<Record<string, string | undefined>>

function refuse(name: string, value: string, right: string): never {
  throw new StartRefused(`${name}="${value}" is not valid: it must be ${right}.`)
}

function wholeNumber(env: Environment, name: string, options: { fallback: number; min: number; max: number }): number {
  const text = env[name]
  if (text === undefined || text === '') return options.fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < options.min || value > options.max)
    refuse(name, text, `a whole number between ${options.min} and ${options.max}`)
  return value
}

function oneOf<const Words extends readonly string[]>(
  env: Environment,
  name: string,
  words: Words,
  fallback: Words[number],
): Words[number] {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  return words.find((word) => word === text) ?? refuse(name, text, `one of ${words.join(', ')}`)
}

function engineAddress(text: string): EngineAddress {
  return parseEngineAddress(text) ?? refuse('DOCKER_HOST', text, 'unix:///path/to/docker.sock or tcp://host:port')
}

function owner(env: Environment): Config['owner'] {
  const email = env['BERTH_OWNER_EMAIL'] ?? ''
  const password = env['BERTH_OWNER_PASSWORD'] ?? ''
  if (email === '' && password === '') return undefined
  if (!/^[^\s@]+@[^\s@]+$/.test(email.trim())) refuse('BERTH_OWNER_EMAIL', email, 'an email address, with BERTH_OWNER_PASSWORD set as well')
  if (password.length < 8 || Buffer.byteLength(password) > 1024)
    throw new StartRefused(
      'BERTH_OWNER_PASSWORD is not valid: it must be at least 8 characters and at most 1,024 bytes long, and BERTH_OWNER_EMAIL must be set as well.',
    )
  return { email: email.trim().toLowerCase(), password }
}

/** Only its beginning is checked, and none of it is repeated: it may have a password in it. */
function database(env: Environment): DatabaseConfig {
  const url = env['BERTH_DATABASE_URL'] ?? ''
  if (url === '') return { kind: 'sqlite' }
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new StartRefused('BERTH_DATABASE_URL is not valid: it must be like postgres://user:password@host:5432/database.')
  return { kind: 'postgres', url }
}

function nodeName(env: Environment): string | undefined {
  const name = env['BERTH_NODE_NAME'] ?? ''
  if (name === '') return undefined
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) refuse('BERTH_NODE_NAME', name, 'at most 63 lowercase letters, digits and hyphens')
  if (database(env).kind === 'sqlite') throw new StartRefused('BERTH_NODE_NAME needs a PostgreSQL server: set BERTH_DATABASE_URL as well.')
  return name
}

const HTTPS_PORT = '443'
const REGISTRY = /^[a-z0-9](?:[a-z0-9.-]{0,250})(?::[0-9]{1,5})?(?:\/[a-z0-9]+(?:[._-][a-z0-9]+)*){0,5}$/

/** Its password is not repeated. */
function registry(env: Environment): Config['registry'] {
  const prefix = env['BERTH_REGISTRY'] ?? ''
  const [username, password] = [env['BERTH_REGISTRY_USERNAME'] ?? '', env['BERTH_REGISTRY_PASSWORD'] ?? '']
  if (prefix === '') return undefined
  const [address = ''] = prefix.split('/')
  const [host = '', port = HTTPS_PORT] = address.split(':')
  if (!REGISTRY.test(prefix) || !/[.:]/.test(address) || Number(port) < 1 || Number(port) > 65_535)
    refuse('BERTH_REGISTRY', prefix, 'a registry and a path in it, such as registry.example.com/berth')
  if (username === '' || password === '')
    throw new StartRefused(
      'BERTH_REGISTRY needs BERTH_REGISTRY_USERNAME and BERTH_REGISTRY_PASSWORD: a registry that is open to everybody lists the names of all images.',
    )
  return { prefix, host, port: Number(port), credentials: { host: address, username, password } }
}

function workDir(dataDir: string, { mode }: Config['updates']): string {
  if (process.getuid?.() !== 0 || mode === 'rehearsal') return join(dataDir, 'workspaces')
  return join('/var/tmp', `berth-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
}

const NOBODY = { uid: 65_534, gid: 65_534 }

/** Shorter timeouts and injected faults for tests. Both variables are ignored unless NODE_ENV=test. */
function forTests(env: Environment): Pick<Config, 'tuning' | 'fault' | 'supervisorFault'> {
  if (env['NODE_ENV'] !== 'test') return { tuning: TUNING, fault: undefined, supervisorFault: undefined }
  const tuning = { ...TUNING, ...(JSON.parse(env['BERTH_TEST_TUNING'] ?? '{}') as Partial<Tuning>) }
  const faultIn = (name: string) => (env[name] === undefined ? undefined : (JSON.parse(env[name]) as Fault))
  return { tuning, fault: faultIn('BERTH_TEST_FAULT'), supervisorFault: faultIn('BERTH_TEST_SUPERVISOR_FAULT') }
}

function updates(env: Environment): Config['updates'] {
  const feed = env['BERTH_UPDATE_FEED'] ?? ''
  if (!/^(https?:\/\/\S+)?$/.test(feed)) refuse('BERTH_UPDATE_FEED', feed, 'an http or https address')
  return {
    root: rootOf(process.argv[1] ?? '', 'packages/server/dist/main.js'),
    mode: oneOf(env, 'BERTH_UPDATE_MODE', UPDATE_MODES, 'normal'),
    begin: oneOf(env, 'BERTH_UPDATE_BEGIN', BEGINS, 'now'),
    feed,
    key: env['BERTH_UPDATE_KEY'] ?? '',
  }
}

/** For a program of ours that takes this one's place, or runs beside it with the same settings. */
export function inheritedEnvironment(changes: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...changes }
}

/** The only place that reads the environment. A bad value stops the start with a clear error. */
export function readConfig(env: Environment = process.env): Config {
  const dataDir = resolve(env['BERTH_DATA_DIR'] || './data')
  return Object.freeze({
    host: env['HOST'] || '0.0.0.0',
    port: wholeNumber(env, 'PORT', { fallback: 8080, min: 0, max: 65535 }),
    dataDir,
    database: database(env),
    nodeName: nodeName(env),
    owner: owner(env),
    engine: engineAddress(env['DOCKER_HOST'] || 'unix:///var/run/docker.sock'),
    edge: {
      httpPort: wholeNumber(env, 'BERTH_EDGE_HTTP_PORT', { fallback: 80, min: 1, max: 65535 }),
      httpsPort: wholeNumber(env, 'BERTH_EDGE_HTTPS_PORT', { fallback: 443, min: 1, max: 65535 }),
    },
    workers: wholeNumber(env, 'BERTH_WORKERS', { fallback: Math.max(2, availableParallelism()), min: 1, max: 64 }),
    privateSources: (env['BERTH_PRIVATE_SOURCES'] ?? '')
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter((host) => host !== ''),
    registry: registry(env),
    imagePort: wholeNumber(env, 'BERTH_IMAGE_PORT', { fallback: 5443, min: 1, max: 65535 }),
    caFile: env['BERTH_CA_FILE'] || undefined,
    backupPassphrase: env['BERTH_BACKUP_PASSPHRASE'] || undefined,
    program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    oldEngineBuilds: oneOf(env, 'BERTH_OLD_ENGINE_BUILDS', ['everyone', 'admins'], 'everyone'),
    provision: oneOf(env, 'BERTH_PROVISION', ['auto', 'off'], 'auto'),
    logLevel: oneOf(env, 'BERTH_LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: oneOf(env, 'BERTH_LOG_FORMAT', ['json', 'text'], process.stdout.isTTY ? 'text' : 'json'),
    useColours: process.stdout.isTTY && !env['NO_COLOR'],
    path: env['PATH'] || '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    workDir: workDir(dataDir, updates(env)),
    gitRunsAs: process.getuid?.() === 0 ? { runAs: NOBODY } : {},
    updates: updates(env),
    ...forTests(env),
  })
}
