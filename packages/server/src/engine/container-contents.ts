import type { Readable } from 'node:stream'
import { isNotFound } from './api/errors.ts'
import { field, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { pathOf } from './container-reads.ts'
import { type Account, accountIn } from './image-account.ts'

const BLOCK = 512
const MOST_OF_A_LIST = 1024 * 1024
const BEGINNING = 16 * 1024
type Entry = { readonly account: Account; readonly mode: number; readonly content: Buffer }

/** What is read from and put into a container between its creation and its start. */
export function createContainerContents({ transport }: { transport: Transport }) {
  /** An archive is written into the container, which need not run. What it has at the same path is replaced. */
  async function put(id: string, path: string, upload: Readable, signal: AbortSignal | undefined): Promise<void> {
    await transport.json({ method: 'PUT', path: `${pathOf(id)}/archive`, query: { path, noOverwriteDirNonDir: true }, upload, signal })
  }

  /** One file or directory of the container, and the beginning of a file; the rest is not read. */
  async function look(id: string, path: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    try {
      const answer = await transport.stream({ method: 'GET', path: `${pathOf(id)}/archive`, query: { path }, signal })
      const read: Buffer[] = []
      let length = 0
      let wanted = BLOCK
      for await (const chunk of answer.chunks) {
        read.push(chunk)
        length += chunk.length
        if (length >= BLOCK) wanted = BLOCK + Math.min(MOST_OF_A_LIST, octalAt(Buffer.concat(read), 124, 12))
        if (length >= wanted) break
      }
      answer.close()
      return entryIn(Buffer.concat(read))
    } catch (cause) {
      if (isNotFound(cause)) return undefined
      throw cause
    }
  }

  /** Whether a directory of the container is empty. */
  async function isEmpty(id: string, path: string): Promise<boolean> {
    const answer = await transport.stream({ method: 'GET', path: `${pathOf(id)}/archive`, query: { path } })
    const read: Buffer[] = []
    let length = 0
    for await (const chunk of answer.chunks) {
      read.push(chunk)
      length += chunk.length
      if (length >= BEGINNING) break
    }
    answer.close()
    return !hasMoreThanOneEntry(Buffer.concat(read))
  }

  /** The account the container runs as; undefined for root, and if the image has no such account. */
  async function accountOf(id: string, signal: AbortSignal | undefined): Promise<Account | undefined> {
    const user = text(field(await transport.json({ method: 'GET', path: `${pathOf(id)}/json`, signal }), 'Config', 'User'))
    const listed = async (path: string) => (await look(id, path, signal))?.content.toString('utf8') ?? ''
    return await accountIn(user, { accounts: () => listed('/etc/passwd'), groups: () => listed('/etc/group') })
  }

  return { put, look, isEmpty, accountOf }
}

function octalAt(header: Buffer, from: number, length: number): number {
  return Number.parseInt(header.subarray(from, from + length).toString('latin1'), 8) || 0
}

function entryIn(archive: Buffer): Entry | undefined {
  if (archive.length < BLOCK) return undefined
  const account = { uid: octalAt(archive, 108, 8), gid: octalAt(archive, 116, 8) }
  return { account, mode: octalAt(archive, 100, 8) & 0o7777, content: archive.subarray(BLOCK, BLOCK + octalAt(archive, 124, 12)) }
}

const EXTENDED_HEADERS = ['x', 'g']

/** Of the beginning of an archive. An extended header only belongs to the entry after it. */
function hasMoreThanOneEntry(archive: Buffer): boolean {
  let entries = 0
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    if (!EXTENDED_HEADERS.includes(String.fromCodePoint(archive[at + 156] ?? 0))) entries += 1
    if (entries > 1) return true
    at += BLOCK + Math.ceil(octalAt(archive, at + 124, 12) / BLOCK) * BLOCK
  }
  return false
}
