import type { Readable } from 'node:stream'
import { BUILD_CGROUP, type BuildLimiter } from './build-limits.ts'
import { createTraceReader, type OutputStream } from './buildkit-trace.ts'
import { field, text } from './engine-json.ts'
import { BuildFailed } from './errors.ts'
import { jsonLines } from './json-lines.ts'
import { createLineSplitter } from './line-splitter.ts'
import type { Transport } from './transport.ts'

export type BuildRequest = {
  readonly contextTar: Readable
  readonly dockerfile: string
  readonly tag: string
  readonly labels: Readonly<Record<string, string>>
  readonly memoryBytes?: number
  readonly cpus?: number
  readonly target?: string
  /** They stay readable in the image's history: never a secret, never an app's environment. */
  readonly buildArgs?: Readonly<Record<string, string>>
  onLine(line: string, stream: OutputStream): void
  onProgress?(fraction: number): void
  readonly signal: AbortSignal
}

const KEPT_LINES = 20

/** Image builds with BuildKit over the engine's own API. The build lives as long as our connection does: closing it is the exact cancel. */
export function createBuilder(deps: { transport: Transport; limits: BuildLimiter; cgroupDriver: () => Promise<string> }) {
  const { transport, limits, cgroupDriver } = deps

  return async function build(request: BuildRequest): Promise<{ imageId: string }> {
    const { memoryBytes, signal } = request
    const capped = memoryBytes !== undefined
    if (capped) await limits.apply({ memoryBytes, ...(request.cpus === undefined ? {} : { cpus: request.cpus }) })
    // A systemd-driven engine wants a slice of its own making here and fails the build otherwise.
    const cgroupparent = capped && (await cgroupDriver()) === 'cgroupfs' ? BUILD_CGROUP : undefined
    const answer = await transport.stream({
      method: 'POST',
      path: '/build',
      query: { ...queryOf(request), cgroupparent },
      upload: request.contextTar,
      signal,
      timeoutMs: Number.POSITIVE_INFINITY,
    })
    try {
      return { imageId: await follow(answer.chunks, request) }
    } finally {
      answer.close()
    }
  }
}

function queryOf(request: BuildRequest): Record<string, string | number | boolean | undefined> {
  return {
    version: '2',
    t: request.tag,
    dockerfile: request.dockerfile,
    labels: JSON.stringify(request.labels),
    rm: true,
    forcerm: true,
    memory: request.memoryBytes,
    memswap: request.memoryBytes,
    target: request.target,
    buildargs: request.buildArgs === undefined ? undefined : JSON.stringify(request.buildArgs),
  }
}

async function follow(chunks: AsyncIterable<Buffer>, request: BuildRequest): Promise<string> {
  const trace = createTraceReader()
  const plain = createLineSplitter()
  const lastLines: string[] = []
  let furthest = 0
  let imageId = ''
  const say = (line: string, stream: OutputStream) => {
    lastLines.push(line)
    if (lastLines.length > KEPT_LINES) lastLines.shift()
    request.onLine(line, stream)
  }
  for await (const message of jsonLines(chunks)) {
    const failure = text(field(message, 'errorDetail', 'message')) || text(field(message, 'error'))
    if (failure !== '') throw failed(failure, lastLines)
    const aux = field(message, 'aux')
    if (field(message, 'id') === 'moby.buildkit.trace') {
      for (const { line, stream } of trace.read(Buffer.from(text(aux), 'base64'))) say(line, stream)
      furthest = Math.max(furthest, trace.progress())
      request.onProgress?.(furthest)
    }
    imageId = text(field(aux, 'ID')) || imageId
    for (const line of plain.push(Buffer.from(text(field(message, 'stream'))))) say(line, 'stdout')
  }
  if (imageId === '') throw failed('the engine ended the build without an image', lastLines)
  return imageId
}

function failed(reason: string, lastLines: readonly string[]): BuildFailed {
  const outOfMemory = /exit code: 137\b/.test(reason) || /cannot allocate memory|out of memory/i.test(reason)
  const message = outOfMemory ? `The build ran out of memory: ${reason}` : `The build failed: ${reason}`
  return new BuildFailed(message, { lastLines: [...lastLines], outOfMemory })
}
