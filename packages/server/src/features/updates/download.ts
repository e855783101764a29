import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FeedFailure, type Fetched, fetchUrl } from './fetch-url.ts'
import type { Archive } from './release-index.ts'

type Options = {
  readonly url: string
  readonly archive: Pick<Archive, 'bytes' | 'sha256'>
  readonly target: string
  readonly ca: readonly string[] | undefined
  readonly retryMs: number
  readonly signal: AbortSignal
  readonly say: (text: string) => Promise<void>
}

/** In a row, without a new byte. */
const MOST_FAILURES = 3

/** Goes on where an earlier attempt was cut off, and gives the file its name only when its checksum is right. */
export async function download(options: Options): Promise<void> {
  const { archive, target, signal, say } = options
  const partial = `${target}.part`
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  let most = await sizeOf(partial)
  for (let failures = 0; (await sizeOf(partial)) < archive.bytes; ) {
    const problem = await fetchRest(partial, options)
    if (problem === undefined) break
    signal.throwIfAborted()
    const size = await sizeOf(partial)
    failures = size > most ? 1 : failures + 1
    most = Math.max(most, size)
    await say(`The download was cut off after ${size} of ${archive.bytes} bytes (${problem}).`)
    if (failures >= MOST_FAILURES)
      throw new FeedFailure(
        `The download stopped after ${size} of ${archive.bytes} bytes: ${problem}. The next attempt continues from there.`,
      )
    await sleep(options.retryMs * failures, undefined, { signal })
  }
  await checkSum(partial, archive.sha256)
  await rename(partial, target)
}

/** Says what cut it off; undefined if it came to its end. */
async function fetchRest(partial: string, { url, archive, ca, signal }: Options): Promise<string | undefined> {
  // Opened first: what has arrived is lost if the connection is cut before anybody reads it.
  const file = await open(partial, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    const { size: begin } = await file.stat()
    const answer = await fetchUrl(url, { ca, signal, headers: begin > 0 ? { range: `bytes=${begin}-` } : {} })
    const isRest = answer.status === 206 && String(answer.headers['content-range'] ?? '').startsWith(`bytes ${begin}-`)
    if (answer.status !== 200 && !isRest) return `${new URL(url).host} answers ${answer.status}`
    if (begin > 0 && !isRest) await file.truncate(0)
    const size = await write(file, isRest ? begin : 0, answer.body, archive.bytes)
    return size === archive.bytes ? undefined : 'the connection ended'
  } catch (cause) {
    signal.throwIfAborted()
    return cause instanceof Error ? cause.message : String(cause)
  } finally {
    await file.close()
  }
}

/** Returns the size of the file. */
async function write(file: FileHandle, begin: number, body: Fetched['body'], most: number): Promise<number> {
  let at = begin
  for await (const chunk of body) {
    if (at + chunk.length > most) throw new FeedFailure('it is longer than announced')
    await file.write(chunk, 0, chunk.length, at)
    at += chunk.length
  }
  await file.sync()
  return at
}

async function checkSum(path: string, expected: string): Promise<void> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer) // without an encoding it gives buffers
  if (hash.digest('hex') === expected) return
  await rm(path)
  throw new FeedFailure('The checksum of the downloaded archive is wrong, so the archive was deleted.')
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}
