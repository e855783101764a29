import { firstLine, type OutputStream, type Printed, type TracePart, type VertexUpdate } from './buildkit-messages.ts'
import { createLineSplitter, type LineSplitter } from './line-splitter.ts'

export type TraceLine = { readonly line: string; readonly stream: OutputStream }

type Vertex = {
  number: number
  name: string
  isNamed: boolean
  startedAt: number
  isDone: boolean
  out: Record<OutputStream, LineSplitter>
}

/**
 * BuildKit's progress as lines to read:
 *
 *   #3 [2/4] RUN npm ci       a step begins
 *   #3 added 12 packages      what it prints
 *   #3 CACHED | DONE 1.2s | ERROR: …
 */
export function createTraceReader() {
  const vertices = new Map<string, Vertex>()
  const steps = createStepCount()

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
    if (update.name !== '' && update.name !== vertex.name) steps.rename(vertex, update.name)
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
    steps.end(vertex)
    const rest = STREAMS.flatMap((stream) => vertex.out[stream].end().map((line) => ({ line: `#${vertex.number} ${line}`, stream })))
    const seconds = Math.max(0, (update.completedAt ?? 0) - vertex.startedAt).toFixed(1)
    const ending = update.error !== '' ? `ERROR: ${firstLine(update.error)}` : update.isCached ? 'CACHED' : `DONE ${seconds}s`
    return [...rest, { line: `#${vertex.number} ${ending}`, stream: update.error === '' ? 'stdout' : 'stderr' }]
  }

  function takePrinted({ digest, stream, bytes }: Printed): TraceLine[] {
    const vertex = vertexOf(digest)
    return vertex.out[stream].push(bytes).map((line) => ({ line: `#${vertex.number} ${line}`, stream }))
  }

  function read(part: TracePart): TraceLine[] {
    if (part.kind === 'vertex') return take(part.update)
    if (part.kind === 'printed') return takePrinted(part.printed)
    return part.kind === 'line' ? [part] : []
  }

  return { read, progress: steps.progress }
}

/** Counted as the reports come: a Dockerfile can have thousands of steps, and each has several reports. */
function createStepCount() {
  const stepsOfStage = new Map<string, number>()
  let all = 0
  let done = 0
  const counts = (name: string) => STEP.test(name) || name.startsWith('exporting to ')

  function rename(vertex: Vertex, name: string): void {
    if (vertex.isDone) done += Number(counts(name)) - Number(counts(vertex.name))
    vertex.name = name
    const [, stage = '', number] = STEP.exec(name) ?? []
    if (number === undefined) return
    all += Number(number) - (stepsOfStage.get(stage) ?? 0)
    stepsOfStage.set(stage, Number(number))
  }

  function end(vertex: Vertex): void {
    vertex.isDone = true
    if (counts(vertex.name)) done += 1
  }

  /** The share of finished steps, including the export: 0 to 1. The step names say how many there will be. */
  const progress = (): number => (all === 0 ? 0 : Math.min(1, done / (all + 1)))

  return { rename, end, progress }
}

const STEP = /^\[(?:(\S+) )?\d+\/(\d+)\] /
const STREAMS = ['stdout', 'stderr'] as const

/** Whether a part is new. BuildKit repeats the progress of a transfer even when it has not changed. */
export function createNewsCheck(): (part: TracePart) => boolean {
  const known = new Map<string, number>()
  return (part) => {
    if (part.kind === 'printed') return part.printed.bytes.length > 0
    if (part.kind === 'line') return true
    const [id, now] = part.kind === 'transfer' ? [part.id, part.current] : [part.update.digest, stateOf(part.update)]
    const before = known.get(id)
    if (before !== undefined && (part.kind === 'transfer' ? now === before : now <= before)) return false
    known.set(id, now)
    return true
  }
}

function stateOf({ startedAt, completedAt }: VertexUpdate): number {
  if (completedAt !== null) return 2
  return startedAt === null ? 0 : 1
}
