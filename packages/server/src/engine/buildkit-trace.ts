import { createLineSplitter, type LineSplitter } from './line-splitter.ts'
import { fieldsOf } from './protobuf.ts'

export type OutputStream = 'stdout' | 'stderr'
export type TraceLine = { readonly line: string; readonly stream: OutputStream }

type Vertex = {
  number: number
  name: string
  isNamed: boolean
  startedAt: number
  isDone: boolean
  out: Record<OutputStream, LineSplitter>
}
type VertexUpdate = { digest: string; name: string; isCached: boolean; startedAt: number | null; completedAt: number | null; error: string }

/**
 * BuildKit's progress (a stream of StatusResponse messages) as lines to read:
 *
 *   #3 [2/4] RUN npm ci       a step begins
 *   #3 added 12 packages      what it prints
 *   #3 CACHED | DONE 1.2s | ERROR: …
 */
export function createTraceReader() {
  const vertices = new Map<string, Vertex>()

  function vertexOf(digest: string): Vertex {
    const known = vertices.get(digest)
    if (known !== undefined) return known
    const out = { stdout: createLineSplitter(), stderr: createLineSplitter() }
    const vertex: Vertex = { number: vertices.size + 1, name: '', isNamed: false, startedAt: 0, isDone: false, out }
    vertices.set(digest, vertex)
    return vertex
  }

  function take(update: VertexUpdate): TraceLine[] {
    const vertex = vertexOf(update.digest)
    vertex.name = update.name || vertex.name
    const isOver = update.completedAt !== null && !vertex.isDone
    if (update.startedAt === null && !isOver) return []
    const lines: TraceLine[] = []
    if (!vertex.isNamed) {
      vertex.isNamed = true
      vertex.startedAt = update.startedAt ?? update.completedAt ?? 0
      lines.push({ line: `#${vertex.number} ${vertex.name}`, stream: 'stdout' })
    }
    return isOver ? [...lines, ...finish(vertex, update)] : lines
  }

  function finish(vertex: Vertex, update: VertexUpdate): TraceLine[] {
    vertex.isDone = true
    const rest = STREAMS.flatMap((stream) => vertex.out[stream].end().map((line) => ({ line: `#${vertex.number} ${line}`, stream })))
    const seconds = Math.max(0, (update.completedAt ?? 0) - vertex.startedAt).toFixed(1)
    const ending = update.error !== '' ? `ERROR: ${firstLine(update.error)}` : update.isCached ? 'CACHED' : `DONE ${seconds}s`
    return [...rest, { line: `#${vertex.number} ${ending}`, stream: update.error === '' ? 'stdout' : 'stderr' }]
  }

  function takeLog(bytes: Buffer): TraceLine[] {
    const log = readLog(bytes)
    const vertex = vertexOf(log.digest)
    return vertex.out[log.stream].push(log.message).map((line) => ({ line: `#${vertex.number} ${line}`, stream: log.stream }))
  }

  /** The lines in one message. Starts come before output and ends after it, whatever their order in the message. */
  function read(message: Buffer): TraceLine[] {
    const parts = [...fieldsOf(message)].flatMap(({ number, value }) => (Buffer.isBuffer(value) ? [{ number, value }] : []))
    const updates = parts.filter(({ number }) => number === 1).map(({ value }) => readVertex(value))
    const started = updates.flatMap((update) => take({ ...update, completedAt: null }))
    const printed = parts.filter(({ number }) => number === 3).flatMap(({ value }) => takeLog(value))
    const warned = parts.filter(({ number }) => number === 4).flatMap(({ value }) => readWarning(value))
    return [...started, ...printed, ...warned, ...updates.flatMap(take)]
  }

  /** Share of the Dockerfile's steps, and the export after them, that are over: 0 to 1. Step names say how many there will be. */
  function progress(): number {
    const stepsOfStage = new Map<string, number>()
    let done = 0
    for (const { name, isDone } of vertices.values()) {
      const step = STEP.exec(name)
      if (step !== null) stepsOfStage.set(step[1] ?? '', Number(step[2]))
      if (isDone && (step !== null || name.startsWith('exporting to '))) done += 1
    }
    const total = 1 + [...stepsOfStage.values()].reduce((sum, steps) => sum + steps, 0)
    return total === 1 ? 0 : Math.min(1, done / total)
  }

  return { read, progress }
}

const STEP = /^\[(?:(\S+) )?\d+\/(\d+)\] /
const STREAMS = ['stdout', 'stderr'] as const

function readVertex(bytes: Buffer): VertexUpdate {
  const vertex: VertexUpdate = { digest: '', name: '', isCached: false, startedAt: null, completedAt: null, error: '' }
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

function readLog(bytes: Buffer): { digest: string; stream: OutputStream; message: Buffer } {
  let digest = ''
  let stream: OutputStream = 'stdout'
  let message: Buffer = Buffer.alloc(0)
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) digest = String(value)
    if (number === 3 && value === 2) stream = 'stderr'
    if (number === 4 && Buffer.isBuffer(value)) message = value
  }
  return { digest, stream, message }
}

function readWarning(bytes: Buffer): TraceLine[] {
  const short = [...fieldsOf(bytes)].find(({ number }) => number === 3)
  return short === undefined ? [] : [{ line: `WARNING: ${firstLine(String(short.value))}`, stream: 'stderr' }]
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

function firstLine(value: string): string {
  const [first = '', ...rest] = value.split('\n')
  return rest.some((line) => line.trim() !== '') ? `${first} …` : first
}
