import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from '../lib/error-code.ts'
import { SourceRefused } from './errors.ts'
import { parseRepoPath } from './repo-path.ts'

/**
 * The real path of a file in a checked-out repository, or null if it does not exist. Call it after every checkout: a link that pointed
 * inside yesterday may point at the machine's own files today.
 */
export async function resolveInside(workspace: string, repoPath: string): Promise<{ path: string; kind: 'file' | 'directory' } | null> {
  const relative = parseRepoPath(repoPath)
  if (relative === null) throw new SourceRefused(`"${repoPath}" is not a path inside the repository.`)
  const root = await realpath(workspace)
  const real = await realpath(path.join(root, relative)).catch((cause: unknown) => {
    const code = errorCode(cause)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === 'ELOOP') throw new SourceRefused(`"${repoPath}" is a link that points at itself.`, { cause })
    throw cause
  })
  if (real === null) return null
  if (real !== root && !real.startsWith(root + path.sep))
    throw new SourceRefused(`"${repoPath}" is a link that points outside the repository.`)
  const found = await lstat(real)
  if (found.isDirectory()) return { path: real, kind: 'directory' }
  if (found.isFile()) return { path: real, kind: 'file' }
  throw new SourceRefused(`"${repoPath}" is neither a file nor a directory.`)
}
