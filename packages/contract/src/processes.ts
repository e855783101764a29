import Type, { type Static } from 'typebox'
import { expects, Nullable } from './fields.ts'

/** A web app or a service may run this many containers of its main process at once, and of each other process. */
export const MOST_REPLICAS = 20
/** Beside the main process of an app. */
export const MOST_PROCESSES = 10

/** `web` and `main` mean the process that every app has, and `release` the command that runs before a release starts. */
const PROCESS_NAME = '^(?!(?:web|main|release)$)[A-Za-z0-9]([A-Za-z0-9_-]{0,30}[A-Za-z0-9])?$'
const ProcessName = Type.String({ pattern: PROCESS_NAME })

export function isProcessName(name: string): boolean {
  return new RegExp(PROCESS_NAME).test(name)
}

const COMMAND = '^[^\\u0000-\\u001f\\u007f]*$'
/** Of each container: CPU cores, and megabytes of memory. Without them it has those of the app. */
const Limits = {
  cpuLimit: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1024 }))),
  memoryLimit: Type.Optional(Nullable(Type.Integer({ minimum: 6, maximum: 16_777_216 }))),
}
const LIMITS_EXPECTED = 'a cpuLimit above 0 and at most 1,024 cores, and a memoryLimit between 6 and 16,777,216 megabytes'

/** Without a number of replicas: 1. Without a command: that of the repository's berth.json or Procfile. */
const ProcessSetting = Type.Object({
  name: ProcessName,
  command: Type.Optional(Type.String({ maxLength: 2000, pattern: COMMAND })),
  replicas: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_REPLICAS })),
  ...Limits,
})

export const ProcessSettings = Type.Array(ProcessSetting, {
  maxItems: MOST_PROCESSES,
  ...expects(
    `a list of at most ${MOST_PROCESSES} processes, each with a name (letters, digits, dashes, underscores; not web, main or release), a command on one line, 0 to ${MOST_REPLICAS} replicas, and if they differ from the app's, ${LIMITS_EXPECTED}`,
  ),
})

const RepositoryCommand = Type.String({ minLength: 1, maxLength: 2000, pattern: COMMAND })
const LimitedCommand = Type.Object({ command: RepositoryCommand, ...Limits }, { additionalProperties: false })

/** The processes in a repository's berth.json: names and commands, or commands with limits. How many run is a setting of the app. */
export const ProcessCommands = Type.Record(ProcessName, Type.Union([RepositoryCommand, LimitedCommand]), {
  additionalProperties: false,
  maxProperties: MOST_PROCESSES,
  ...expects(
    `a map of at most ${MOST_PROCESSES} names (letters, digits, dashes, underscores; not web, main or release) to commands on one line, or to objects with a command, ${LIMITS_EXPECTED}`,
  ),
})

/** A process beside the main one: the same image and settings, another command, no port. */
export const AppProcess = Type.Object({
  name: Type.String(),
  command: Type.String(),
  replicas: Type.Integer(),
  /** Only if they are its own, and not those of the app. */
  cpuLimit: Type.Optional(Type.Number()),
  memoryLimit: Type.Optional(Type.Integer()),
})
export type AppProcess = Static<typeof AppProcess>

type OwnLimits = Pick<AppProcess, 'cpuLimit' | 'memoryLimit'>

/** Those that are set. */
export function limitsOf({ cpuLimit, memoryLimit }: { [Key in keyof OwnLimits]?: number | null | undefined }): OwnLimits {
  return {
    ...(typeof cpuLimit === 'number' && { cpuLimit }),
    ...(typeof memoryLimit === 'number' && { memoryLimit }),
  }
}

/** "0.5 CPU, 256 MB"; empty without limits of its own. */
export function limitWords({ cpuLimit, memoryLimit }: OwnLimits): string {
  return [cpuLimit === undefined ? '' : `${cpuLimit} CPU`, memoryLimit === undefined ? '' : `${memoryLimit} MB`]
    .filter((words) => words !== '')
    .join(', ')
}
