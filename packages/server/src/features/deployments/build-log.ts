import { appendFile, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../lib/logger.ts'
import { createRedactor, type Redactor } from '../../lib/redact.ts'
import { isLastLine, type LogLine, parseLog, storedLine } from './log-lines.ts'
import { createLogWriter, type LogWriter, type NewLine } from './log-writer.ts'

const PAST_AT_ONCE = 1000

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
      return parseLog(await readFile(pathOf(deploymentId), 'utf8'))
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

  async function openWriter(deploymentId: number, redactor: Pick<Redactor, 'stream'>): Promise<LogWriter> {
    await mkdir(deps.directory, { recursive: true, mode: 0o700 })
    const path = pathOf(deploymentId)
    await dropHalfLine(path)
    const state = liveOf(deploymentId)
    state.writers += 1
    const written = (await read(deploymentId)).length
    if (state.writers === 1) state.count = written // another one that writes has counted already
    const onClosed = async () => {
      await sync(path)
      state.writers -= 1
      forgetIdle(deploymentId, state)
    }
    return createLogWriter({ redactor, store: async (lines) => await store(deploymentId, state, lines), onClosed })
  }

  async function store(deploymentId: number, state: Live, added: readonly NewLine[]): Promise<void> {
    try {
      await appendFile(pathOf(deploymentId), added.map(([line, stream]) => storedLine(line, stream)).join(''), { mode: 0o600 })
    } catch (err) {
      // A full disk costs log lines, never the deployment or the server.
      return deps.log.warn({ deploymentId, lines: added.length, err }, 'build log was not written')
    }
    const lines = added.map(([line, stream]) => ({ n: (state.count += 1), line, stream }))
    for (const follower of state.followers) follower(lines)
  }

  const follow = (deploymentId: number, from: number, signal: AbortSignal): AsyncGenerator<readonly LogLine[]> =>
    followLog({
      state: liveOf(deploymentId),
      past: async () => (await read(deploymentId)).slice(from),
      from,
      signal,
      onEnded: (state) => forgetIdle(deploymentId, state),
    })

  /** The last line of a deployment that ended while nobody wrote its log; a log that has one already stays as it is. */
  async function finish(deploymentId: number, line: string): Promise<void> {
    if (isLastLine((await read(deploymentId)).at(-1))) return
    const writer = await openWriter(deploymentId, createRedactor([]))
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

type Following = {
  state: Live
  past: () => Promise<LogLine[]>
  from: number
  signal: AbortSignal
  onEnded: (state: Live) => void
}

/** Every line after `from`, past and live, each once, in order, until the signal says that the deployment has ended. */
async function* followLog({ state, past, from, signal, onEnded }: Following): AsyncGenerator<readonly LogLine[]> {
  const queue: (readonly LogLine[])[] = []
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
    const before = await past()
    position += before.length
    for (let at = 0; at < before.length; at += PAST_AT_ONCE) yield before.slice(at, at + PAST_AT_ONCE)
    while (!signal.aborted || queue.length > 0) {
      const unseen = unseenOf(queue.shift() ?? [], position)
      if (unseen.length > 0) yield unseen
      position = Math.max(position, unseen.at(-1)?.n ?? 0)
      if (queue.length > 0 || signal.aborted) continue
      wake = Promise.withResolvers<void>()
      await wake.promise
    }
  } finally {
    state.followers.delete(follower)
    signal.removeEventListener('abort', onAbort)
    onEnded(state)
  }
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
