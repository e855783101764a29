import { EngineError } from './errors.ts'

/** Reads the engine's responses: a field that is missing or has another type becomes the empty value of its type. */
export function record(value: unknown): Record<string, unknown> {
  // The three checks establish the type; an index signature of unknown promises nothing about the fields.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => record(at)[key], value)
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(record(value)).map(([key, entry]) => [key, text(entry)]))
}

/** The engine's filter parameter: `{"label":["a=b"]}`. */
export function filters(wanted: Readonly<Record<string, readonly string[]>>): string {
  return JSON.stringify(wanted)
}

export function labelFilter(labels: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`)
}

/** An engine passes on whatever text a registry answers with, however long it is. */
const TOO_LONG =
  'The container engine sent a message of more than 8 MiB, such as an error text of a registry. Check the image and its registry.'
const MAX_LINE = 8 * 1024 * 1024

/** Parses the engine's progress streams: JSON objects separated by line feeds, in chunks that may end anywhere. */
export async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  let parts: Buffer[] = []
  let kept = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, at)])
        .toString('utf8')
        .trim()
      parts = []
      kept = 0
      from = at + 1
      if (line !== '') yield JSON.parse(line)
    }
    if (from === chunk.length) continue
    parts.push(chunk.subarray(from))
    kept += chunk.length - from
    if (kept > MAX_LINE) throw new EngineError(500, TOO_LONG)
  }
  const rest = Buffer.concat(parts).toString('utf8').trim()
  if (rest !== '') yield JSON.parse(rest)
}
