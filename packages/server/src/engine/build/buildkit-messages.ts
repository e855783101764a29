import { fieldsOf } from './protobuf.ts'

export type OutputStream = 'stdout' | 'stderr'
export type VertexUpdate = {
  readonly digest: string
  readonly name: string
  readonly isCached: boolean
  readonly startedAt: number | null
  readonly completedAt: number | null
  readonly error: string
}
export type Printed = { readonly digest: string; readonly stream: OutputStream; readonly bytes: Buffer }

/** One item of a BuildKit report: about a step, its output, a line for the log, or the progress of a transfer. */
export type TracePart =
  | { readonly kind: 'vertex'; readonly update: VertexUpdate }
  | { readonly kind: 'printed'; readonly printed: Printed }
  | { readonly kind: 'line'; readonly line: string; readonly stream: OutputStream }
  | { readonly kind: 'transfer'; readonly id: string; readonly name: string; readonly current: number; readonly isOver: boolean }

/**
 * Parses a StatusResponse message of BuildKit. Starts come before output and ends after it, whatever their order in the message.
 * An empty message has no parts.
 */
export function tracePartsOf(message: Buffer): TracePart[] {
  const updates: VertexUpdate[] = []
  const others: TracePart[] = []
  for (const { number, value } of fieldsOf(message)) {
    if (!Buffer.isBuffer(value)) continue
    if (number === 1) updates.push(readVertex(value))
    if (number === 2) others.push(readTransfer(value))
    if (number === 3) others.push({ kind: 'printed', printed: readPrinted(value) })
    if (number === 4) others.push(...readWarning(value))
  }
  const starts = updates.map((update) => ({ kind: 'vertex', update: { ...update, completedAt: null } }) as const)
  const ends = updates.filter(({ completedAt }) => completedAt !== null).map((update) => ({ kind: 'vertex', update }) as const)
  return [...starts, ...others, ...ends]
}

function readVertex(bytes: Buffer): VertexUpdate {
  const vertex = { digest: '', name: '', isCached: false, startedAt: null as number | null, completedAt: null as number | null, error: '' }
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) vertex.digest = String(value)
    if (number === 3) vertex.name = firstLine(String(value))
    if (number === 4) vertex.isCached = value === 1
    if (number === 5) vertex.startedAt = secondsOf(value)
    if (number === 6) vertex.completedAt = secondsOf(value)
    if (number === 7) vertex.error = String(value)
  }
  return vertex
}

function readTransfer(bytes: Buffer): TracePart {
  let [name, digest, current, isOver] = ['', '', 0, false]
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) name = String(value)
    if (number === 2) digest = String(value)
    if (number === 4) current = Number(value)
    if (number === 8) isOver = true
  }
  return { kind: 'transfer', id: `${digest} ${name}`, name, current, isOver }
}

function readPrinted(message: Buffer): Printed {
  let digest = ''
  let stream: OutputStream = 'stdout'
  let bytes: Buffer = Buffer.alloc(0)
  for (const { number, value } of fieldsOf(message)) {
    if (number === 1) digest = String(value)
    if (number === 3 && value === 2) stream = 'stderr'
    if (number === 4 && Buffer.isBuffer(value)) bytes = value
  }
  return { digest, stream, bytes }
}

function readWarning(bytes: Buffer): TracePart[] {
  const short = [...fieldsOf(bytes)].find(({ number }) => number === 3)
  return short === undefined ? [] : [{ kind: 'line', line: `WARNING: ${firstLine(String(short.value))}`, stream: 'stderr' }]
}

function secondsOf(value: number | Buffer): number {
  if (!Buffer.isBuffer(value)) return 0
  let seconds = 0
  for (const part of fieldsOf(value)) {
    if (part.number === 1) seconds += Number(part.value)
    if (part.number === 2) seconds += Number(part.value) / 1e9
  }
  return seconds
}

export function firstLine(value: string): string {
  const [first = '', ...rest] = value.split('\n')
  return rest.some((line) => line.trim() !== '') ? `${first} …` : first
}
