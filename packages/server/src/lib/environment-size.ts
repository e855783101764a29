import { LONGEST_VALUES } from './secret-forms.ts'

const MOST_VARIABLES = 1000
/** Names and values together, in UTF-8: as much as Berth can redact in logs, and small enough to list in one response. */
const MOST_BYTES = LONGEST_VALUES
/** As JSON, which each deployment stores: a quote or a line break takes two bytes there, and a control character six. */
const MOST_JSON_BYTES = 2 * MOST_BYTES

export type EnvironmentSize = { variables: number; bytes: number; jsonBytes: number }

const NOTHING: EnvironmentSize = { variables: 0, bytes: 0, jsonBytes: 0 }

export function environmentSize(variables: Iterable<{ key: string; value: string }>): EnvironmentSize {
  const size = { ...NOTHING }
  for (const { key, value } of variables) {
    size.variables += 1
    size.bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
    size.jsonBytes += Buffer.byteLength(JSON.stringify(key)) + Buffer.byteLength(JSON.stringify(value))
  }
  return size
}

/** The error for an environment of this size, if any. An environment from before there was a limit may still shrink. */
export function environmentProblem(size: EnvironmentSize, before: EnvironmentSize = NOTHING, whose = 'app'): string | undefined {
  if (size.variables > Math.max(MOST_VARIABLES, before.variables))
    return `The ${whose} would have ${size.variables} environment variables, but the limit is ${MOST_VARIABLES}.`
  if (size.bytes > Math.max(MOST_BYTES, before.bytes))
    return `The environment variables of the ${whose} are ${Math.ceil(size.bytes / 1024)} KiB with their names, but the limit is ${MOST_BYTES / 1024} KiB. Put large data into a file instead.`
  if (size.jsonBytes > Math.max(MOST_JSON_BYTES, before.jsonBytes))
    return `The environment variables of the ${whose} are ${Math.ceil(size.jsonBytes / 1024)} KiB as JSON, because of control characters or quotes in them, but the limit is ${MOST_JSON_BYTES / 1024} KiB. Encode binary data as base64, or put it into a file.`
  return undefined
}
