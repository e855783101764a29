import Type, { type Static } from 'typebox'
import { expects } from './fields.ts'

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
/** Without a number of replicas: 1. Without a command: that of the repository's berth.json or Procfile. */
const ProcessSetting = Type.Object({
  name: ProcessName,
  command: Type.Optional(Type.String({ maxLength: 2000, pattern: COMMAND })),
  replicas: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_REPLICAS })),
})

export const ProcessSettings = Type.Array(ProcessSetting, {
  maxItems: MOST_PROCESSES,
  ...expects(
    `a list of at most ${MOST_PROCESSES} processes, each with a name (letters, digits, dashes, underscores; not web, main or release), a command on one line and 0 to ${MOST_REPLICAS} replicas`,
  ),
})

/** The processes in a repository's berth.json: names and commands. How many of each run is a setting of the app. */
export const ProcessCommands = Type.Record(ProcessName, Type.String({ minLength: 1, maxLength: 2000, pattern: COMMAND }), {
  additionalProperties: false,
  maxProperties: MOST_PROCESSES,
  ...expects(
    `a map of at most ${MOST_PROCESSES} names (letters, digits, dashes, underscores; not web, main or release) to commands on one line`,
  ),
})

/** A process beside the main one: the same image and settings, another command, no port. */
export const AppProcess = Type.Object({ name: Type.String(), command: Type.String(), replicas: Type.Integer() })
export type AppProcess = Static<typeof AppProcess>
