import { Readable } from 'node:stream'
import { isNotFound } from './api/errors.ts'
import { field, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { archiveOf, END_OF_ARCHIVE, headerOf, type PlainFile } from './build/tar.ts'
import { pathOf } from './container-reads.ts'
import { type Account, accountIn } from './image-account.ts'

const BLOCK = 512
const MOST_OF_A_LIST = 1024 * 1024
type Inside = { readonly volumePaths: readonly string[]; readonly files: readonly PlainFile[] }
type Entry = { readonly account: Account; readonly mode: number; readonly content: Buffer }

/** What is put into a container between its creation and its start. */
export function createContainerContents({ transport }: { transport: Transport }) {
  /** An archive is written into the container, which need not run. What it has at the same path is replaced. */
  async function put(id: string, path: string, archive: Buffer, signal: AbortSignal | undefined): Promise<void> {
    const upload = Readable.from([archive])
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

  /** The account the container runs as; undefined for root, and if the image has no such account. */
  async function accountOf(id: string, signal: AbortSignal | undefined): Promise<Account | undefined> {
    const user = text(field(await transport.json({ method: 'GET', path: `${pathOf(id)}/json`, signal }), 'Config', 'User'))
    const listed = async (path: string) => (await look(id, path, signal))?.content.toString('utf8') ?? ''
    return await accountIn(user, { accounts: () => listed('/etc/passwd'), groups: () => listed('/etc/group') })
  }

  /**
   * The engine gives a new volume to root unless the image has something at its path, and an app that does not run as root could not write
   * to it. So a volume that belongs to root is given to the app's own account.
   */
  async function directoriesFor(id: string, paths: readonly string[], signal: AbortSignal | undefined): Promise<Buffer[]> {
    const account = paths.length === 0 ? undefined : await accountOf(id, signal)
    if (account === undefined) return []
    const headers: Buffer[] = []
    for (const path of paths) {
      const found = await look(id, path, signal)
      if (found === undefined || found.account.uid !== 0) continue
      headers.push(headerOf({ path: path.slice(1), kind: 'directory', mode: found.mode, size: 0, mtimeSeconds: 0, owner: account }))
    }
    return headers
  }

  async function prepare(id: string, { volumePaths, files }: Inside, signal: AbortSignal | undefined): Promise<void> {
    const directories = await directoriesFor(id, volumePaths, signal)
    if (directories.length > 0) await put(id, '/', Buffer.concat([...directories, END_OF_ARCHIVE]), signal)
    if (files.length > 0) await put(id, '/', archiveOf(files.map((file) => ({ ...file, path: file.path.slice(1) }))), signal)
  }

  return { put, prepare }
}

function octalAt(header: Buffer, from: number, length: number): number {
  return Number.parseInt(header.subarray(from, from + length).toString('latin1'), 8) || 0
}

function entryIn(archive: Buffer): Entry | undefined {
  if (archive.length < BLOCK) return undefined
  const account = { uid: octalAt(archive, 108, 8), gid: octalAt(archive, 116, 8) }
  return { account, mode: octalAt(archive, 100, 8) & 0o7777, content: archive.subarray(BLOCK, BLOCK + octalAt(archive, 124, 12)) }
}
