import { durationMs, healthcheckOf } from './healthcheck.ts'
import { bytesOf, commandOf, entrypointOf } from './parts.ts'
import { flag, matching, variables } from './refuse.ts'
import type { StackService } from './stack.ts'

type Env = Readonly<Record<string, string>>
export type Read<Value> = (value: unknown, at: string, env: Env) => Value | undefined

/** The settings of a service that come from one key each. */
export type Settings = Partial<
  Pick<
    StackService,
    | 'command'
    | 'entrypoint'
    | 'environment'
    | 'healthcheck'
    | 'restart'
    | 'workingDir'
    | 'user'
    | 'hostname'
    | 'stopSignal'
    | 'stopGraceSeconds'
    | 'tty'
    | 'stdinOpen'
    | 'readOnly'
    | 'platform'
    | 'shmBytes'
  >
>

const WORD = /^[A-Za-z0-9_.:/@+-]{1,255}$/
/** When the engine shuts down, it waits for the longest of all containers. */
const LONGEST_GRACE_MS = 10 * 60_000

/** LIST of the keys that become one setting each. */
export const SETTINGS: { readonly [Name in keyof Settings]-?: readonly [key: string, read: Read<Settings[Name]>] } = {
  command: ['command', commandOf],
  entrypoint: ['entrypoint', entrypointOf],
  environment: ['environment', variables],
  healthcheck: ['healthcheck', healthcheckOf],
  restart: ['restart', restartOf],
  workingDir: ['working_dir', (value, at) => matching(value, at, /^\/[A-Za-z0-9._@+/-]*$/)],
  user: ['user', (value, at) => matching(value, at, /^[A-Za-z0-9_-]{1,32}(:[A-Za-z0-9_-]{1,32})?$/)],
  hostname: ['hostname', (value, at) => matching(value, at, /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/)],
  stopSignal: ['stop_signal', (value, at) => matching(value, at, /^[A-Z0-9+]{1,16}$/)],
  stopGraceSeconds: ['stop_grace_period', (value, at) => Math.ceil(durationMs(value, at, LONGEST_GRACE_MS) / 1000)],
  tty: ['tty', flag],
  stdinOpen: ['stdin_open', flag],
  readOnly: ['read_only', flag],
  platform: ['platform', (value, at) => matching(value, at, WORD)],
  shmBytes: ['shm_size', (value, at) => bytesOf(value, at)],
}

export function settingsOf(read: <Value>(key: string, work: Read<Value>) => Value | undefined): Settings {
  const found = Object.entries(SETTINGS).flatMap(([name, [key, work]]) => {
    const value = read<unknown>(key, work)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found) // each by its own reader, as the type of SETTINGS says
}

function restartOf(value: unknown, at: string): StackService['restart'] {
  const [policy = '', retries] = matching(value, at, /^(no|false|always|unless-stopped|on-failure(:\d{1,3})?)$/).split(':')
  if (policy === 'always' || policy === 'unless-stopped') return { policy }
  if (policy === 'on-failure') return { policy, ...(retries === undefined ? {} : { retries: Number(retries) }) }
  return { policy: 'no' }
}
