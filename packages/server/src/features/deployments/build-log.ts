import { appendFile, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../lib/logger.ts'

export type LogStream = 'stdout' | 'stderr' | 'berth'
export type LogLine = { n: number; line: string; stream: LogStream }

/** The first character of a stored line says which stream it came from. */
const MARK = { stdout: ' ', stderr: '!', berth: '#' } as const satisfies Record<LogStream, string>
const STREAM: Readonly<Record<string, LogStream>> = { ' ': 'stdout', '!': 'stderr', '#': 'berth' }
const MOST_BYTES = 20 * 1024 * 1024
const KEPT_AT_END = 500
const PAST_AT_ONCE = 1000
const LONGEST_LINE = 16 * 1024
/** How the log of every deployment ends. */
export const LAST_LINE = {
  success: 'Deployed successfully',
  failed: (reason: string) => `Failed: ${reason}`,
  stopped: 'Cancelled',
} as const
const LAST_WORDS = /^(Deployed successfully$|Failed: |Cancelled$)/

/** Control characters but tab and colours are taken out: a log line is text, whatever printed it. */
export function cleanLine(text: string): string {
  const plain = text
    // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
    .replaceAll(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, '')
    // oxlint-disable-next-line no-control-regex -- as above; colours stay
    .replaceAll(/\u001b(?!\[[0-9;]{0,32}m)(?:\[[0-9;?]*[A-Za-z]?)?/g, '')
    // oxlint-disable-next-line no-control-regex -- as above
    .replaceAll(/[\u0000-\u0008\u000a-\u001a\u001c-\u001f\u007f\u0080-\u009f\u2028\u2029]/g, '')
  return plain.length > LONGEST_LINE ? `${plain.slice(0, LONGEST_LINE)} … [line cut]` : plain
}

function parse(text: string): LogLine[] {
  const lines = text.split('\n')
  lines.pop() // behind the last newline there is nothing, or half a line of a crash
  return lines.map((line, index) => ({ n: index + 1, line: line.slice(1), stream: STREAM[line.charAt(0)] ?? 'stdout' }))
}

type Writer = { append(line: string, stream: LogStream): void; flush(): Promise<void>; close(): Promise<void> }
type Live = { count: number; writers: number; followers: Set<(lines: readonly LogLine[]) => void> }

/**
 * One append-only file a deployment. The socket and the REST log are two readers of it, so they cannot disagree;
 * a line reaches followers only once it is in the file.
 */
export function createBuildLogs(deps: { directory: string; log: Pick<Logger, 'warn'> }) {
  const live = new Map<number, Live>()

  function pathOf(deploymentId: number): string {
    return join(deps.directory, `d${deploymentId}.log`)
  }

  async function read(deploymentId: number): Promise<LogLine[]> {
    try {
      return parse(await readFile(pathOf(deploymentId), 'utf8'))
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return []
      throw cause
    }
  }

  function liveOf(deploymentId: number): Live {
    const known = live.get(deploymentId)
    if (known) return known
    const fresh = { count: 0, writers: 0, followers: new Set<(lines: readonly LogLine[]) => void>() }
    live.set(deploymentId, fresh)
    return fresh
  }

  /** While one writes or follows, both must find the same entry. */
  function forgetIdle(deploymentId: number, state: Live): void {
    if (state.writers === 0 && state.followers.size === 0 && live.get(deploymentId) === state) live.delete(deploymentId)
  }

  async function openWriter(deploymentId: number, redact: (line: string) => string): Promise<Writer> {
    await mkdir(deps.directory, { recursive: true, mode: 0o700 })
    const path = pathOf(deploymentId)
    await dropHalfLine(path)
    const state = liveOf(deploymentId)
    state.writers += 1
    const written = (await read(deploymentId)).length
    if (state.writers === 1) state.count = written // another one that writes has counted already
    let bytes = 0
    let skipped = 0
    const last: [string, LogStream][] = []
    let waiting: [string, LogStream][] = []
    let flushing: Promise<void> | undefined

    async function flush(): Promise<void> {
      while (waiting.length > 0) {
        const batch = waiting
        waiting = []
        try {
          await appendFile(path, batch.map(([line, stream]) => `${MARK[stream]}${line}\n`).join(''), { mode: 0o600 })
        } catch (err) {
          // A full disk costs log lines, never the deployment or the server.
          deps.log.warn({ deploymentId, lines: batch.length, err }, 'build log was not written')
          continue
        }
        const lines = batch.map(([line, stream]) => ({ n: (state.count += 1), line, stream }))
        for (const follower of state.followers) follower(lines)
      }
      flushing = undefined
    }

    function put(line: string, stream: LogStream): void {
      waiting.push([line, stream])
      flushing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(flush)
    }

    function append(text: string, stream: LogStream): void {
      const line = cleanLine(redact(text))
      bytes += line.length + 2
      if (bytes <= MOST_BYTES) return put(line, stream)
      last.push([line, stream])
      if (last.length > KEPT_AT_END) {
        last.shift()
        skipped += 1
      }
    }

    async function close(): Promise<void> {
      if (skipped > 0) put(`… ${skipped} lines left out: the log has reached its limit of 20 MB`, 'berth')
      for (const [line, stream] of last) put(line, stream)
      await flushing
      await sync(path)
      state.writers -= 1
      forgetIdle(deploymentId, state)
    }

    return { append, flush: async () => await flushing, close }
  }

  /** Every line after `from`, past and live, each once, in order, until the signal says that the deployment has ended. */
  async function* follow(deploymentId: number, from: number, signal: AbortSignal): AsyncGenerator<readonly LogLine[]> {
    const state = liveOf(deploymentId)
    let queue: (readonly LogLine[])[] = []
    let wake = Promise.withResolvers<void>()
    const follower = (lines: readonly LogLine[]) => {
      queue.push(lines)
      wake.resolve()
    }
    const onAbort = () => wake.resolve()
    state.followers.add(follower)
    signal.addEventListener('abort', onAbort, { once: true })
    let position = from
    try {
      const past = (await read(deploymentId)).slice(from)
      position += past.length
      for (let at = 0; at < past.length; at += PAST_AT_ONCE) yield past.slice(at, at + PAST_AT_ONCE)
      while (!signal.aborted || queue.length > 0) {
        const batches = queue
        queue = []
        wake = Promise.withResolvers<void>()
        for (const batch of batches) {
          const unseen = unseenOf(batch, position)
          if (unseen.length > 0) yield unseen
          position = Math.max(position, unseen.at(-1)?.n ?? 0)
        }
        if (queue.length === 0 && !signal.aborted) await wake.promise
      }
    } finally {
      state.followers.delete(follower)
      signal.removeEventListener('abort', onAbort)
      forgetIdle(deploymentId, state)
    }
  }

  /** The last line of a deployment that ended while nobody wrote its log; a log that has one already stays as it is. */
  async function finish(deploymentId: number, line: string): Promise<void> {
    const last = (await read(deploymentId)).at(-1)
    if (last?.stream === 'berth' && LAST_WORDS.test(last.line)) return
    const writer = await openWriter(deploymentId, (text) => text)
    writer.append(line, 'berth')
    await writer.close()
  }

  async function text(deploymentId: number): Promise<string> {
    return (await read(deploymentId)).map(({ line }) => `${line}\n`).join('')
  }

  async function remove(deploymentId: number): Promise<void> {
    live.delete(deploymentId)
    await rm(pathOf(deploymentId), { force: true })
  }

  const isOpen = (deploymentId: number): boolean => (live.get(deploymentId)?.writers ?? 0) > 0

  return { openWriter, finish, isOpen, read, follow, text, remove }
}

/** The batch itself where all of it is new, so that whoever follows can share what was made of it. */
function unseenOf(batch: readonly LogLine[], position: number): readonly LogLine[] {
  return (batch[0]?.n ?? 0) > position ? batch : batch.filter(({ n }) => n > position)
}

/** A crash can leave half a line; the numbers of the lines behind it would be off by one for ever. */
async function dropHalfLine(path: string): Promise<void> {
  const file = await open(path, 'a+', 0o600)
  try {
    const text = await file.readFile()
    const end = text.lastIndexOf(0x0a) + 1
    if (end < text.length) await file.truncate(end)
  } finally {
    await file.close()
  }
}

async function sync(path: string): Promise<void> {
  try {
    await using file = await open(path, 'r+')
    await file.sync()
  } catch {
    // A log that could not be written needs no sync.
  }
}

export type BuildLogs = ReturnType<typeof createBuildLogs>
export type LogWriter = Writer
