import { readdir, realpath, rm } from 'node:fs/promises'
import path from 'node:path'
import { SourceError, SourceRefused } from './errors.ts'
import type { Source } from './git-visit.ts'
import type { Gitlink } from './gitlinks.ts'
import { relatedSource } from './related-source.ts'
import { parseRepoPath } from './repo-path.ts'
import { resolveInside } from './resolve-inside.ts'
import { checkDirectorySize, type Size, type SizeLimits } from './tree-size.ts'

/** A checkout that is there, with the gitlinks of its tree and the URLs of its .gitmodules by path. */
export type Fetched = { readonly links: readonly Gitlink[]; readonly urls: ReadonlyMap<string, string> }
/** One that was fetched, by its path from the top, and where it came from. */
export type Submodule = { readonly path: string; readonly source: Source }
type Into = { readonly into: string; readonly hash: string; readonly limits: SizeLimits }

const MOST_SUBMODULES = 100
const MOST_DEPTH = 5

type Deps = {
  /** Checks out one repository, without its submodules. */
  checkout: (source: Source, wanted: Into) => Promise<Fetched>
  /** For everything together. */
  limits: SizeLimits
  onFetched: (path: string) => void
}

/**
 * Fetches submodules the way the repository itself is fetched: each source is checked, the commit is fetched by hash, and all of them share
 * one size limit. Git's own `submodule` command is not used: it reads settings that a repository can write.
 */
export function createSubmodules({ checkout, limits, onFetched }: Deps) {
  const done: Submodule[] = []
  let used: Size = { bytes: 0, files: 0 }

  async function fetchOne(source: Source, { into, hash }: { into: string; hash: string }): Promise<Fetched> {
    const found = await checkout(source, { into, hash, limits: { ...limits, used } })
    await rm(path.join(into, '.git'), { recursive: true, force: true }) // only its files are needed
    used = await checkDirectorySize(into, { ...limits, used })
    return found
  }

  async function fetchAll(top: string, parent: Source, { below, fetched, depth }: { below: string; fetched: Fetched; depth: number }) {
    if (depth > MOST_DEPTH && fetched.links.length > 0)
      throw new SourceRefused(`The submodules of the repository are nested more than ${MOST_DEPTH} deep.`)
    for (const link of fetched.links) {
      if (done.length === MOST_SUBMODULES) throw new SourceRefused(`The repository has more than ${MOST_SUBMODULES} submodules.`)
      const name = below === '' ? link.path : `${below}/${link.path}`
      const source = sourceOf(parent, name, fetched.urls.get(link.path))
      const into = await emptyFolder(top, name)
      const found = await fetchOne(source, { into, hash: link.hash }).catch((cause: unknown) => {
        if (!(cause instanceof SourceError)) throw cause
        const { isTransient } = cause
        throw new SourceError(`The submodule "${name}" could not be fetched. ${cause.message}`, { isTransient, cause })
      })
      done.push({ path: name, source })
      onFetched(name)
      await fetchAll(top, source, { below: name, fetched: found, depth: depth + 1 })
    }
  }

  /** All that were fetched. */
  return async (top: string, source: Source, fetched: Fetched): Promise<readonly Submodule[]> => {
    if (fetched.links.length === 0) return []
    used = await checkDirectorySize(top, limits) // once: it may have many files
    await fetchAll(top, source, { below: '', fetched, depth: 1 })
    return done
  }
}

function sourceOf(parent: Source, name: string, url: string | undefined): Source {
  if (url === undefined) throw new SourceRefused(`The submodule "${name}" has no URL in .gitmodules. Add it, or remove the submodule.`)
  const source = relatedSource(parent, url)
  if (source !== null) return source
  throw new SourceRefused(`The submodule "${name}" has the URL "${url.slice(0, 200)}", which is not supported. Use https://host/path.`)
}

/** The folder that git made for a submodule. One that is reached by a link, or that has files, was not made by git. */
async function emptyFolder(top: string, name: string): Promise<string> {
  const found = parseRepoPath(name) === name ? await resolveInside(top, name) : null
  const isOwn = found?.kind === 'directory' && found.path === path.join(await realpath(top), name)
  if (!isOwn || (await readdir(found.path)).length > 0)
    throw new SourceRefused(`The submodule "${name.slice(0, 200)}" has a path that cannot be used.`)
  return found.path
}
