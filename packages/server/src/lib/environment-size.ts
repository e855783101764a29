import { LONGEST_VALUES } from './secret-forms.ts'

const MOST_VARIABLES = 1000
/** Of names and values together, in UTF-8: no more than Berth can hide in logs, and little enough to be listed in one answer. */
const MOST_BYTES = LONGEST_VALUES

export type EnvironmentSize = { variables: number; bytes: number }

export function environmentSize(variables: Iterable<{ key: string; valueBytes: number }>): EnvironmentSize {
  const size = { variables: 0, bytes: 0 }
  for (const { key, valueBytes } of variables) {
    size.variables += 1
    size.bytes += Buffer.byteLength(key) + valueBytes
  }
  return size
}

/** What is wrong with an environment of this size, as a sentence. One from before there was a limit may still shrink. */
export function environmentProblem(size: EnvironmentSize, before: EnvironmentSize = { variables: 0, bytes: 0 }): string | undefined {
  if (size.variables > Math.max(MOST_VARIABLES, before.variables))
    return `The application would have ${size.variables} environment variables, and it can have ${MOST_VARIABLES}.`
  if (size.bytes > Math.max(MOST_BYTES, before.bytes))
    return `The environment variables of the application come to ${Math.ceil(size.bytes / 1024)} KiB with their names, and it can have ${MOST_BYTES / 1024} KiB. Put large data into a file instead.`
  return undefined
}
