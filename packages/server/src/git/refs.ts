import { SourceError } from './errors.ts'

/** Where the branches of a repository are, and `HEAD`. */
export type Refs = { readonly refs: ReadonlyMap<string, string>; readonly defaultBranch: string | null }

const MAX_BYTES = 8 * 1024 * 1024
/** Names that we could not use are left out: too long, or with control characters, which git does not allow. */
const REF = /^([0-9a-f]{40,64})\t(HEAD|refs\/heads\/[!-~\u0080-\uffff]{1,255})$/
const DEFAULT = /^ref: refs\/heads\/([!-~\u0080-\uffff]{1,255})\tHEAD$/

/** Reads `ls-remote --symref` as it arrives: a repository may have a hundred thousand branches. */
export function createRefReader() {
  const refs = new Map<string, string>()
  let defaultBranch: string | null = null
  let bytes = 0
  let rest: Buffer = Buffer.alloc(0)

  function take(line: string): void {
    const [, hash, ref] = REF.exec(line) ?? []
    if (hash !== undefined && ref !== undefined) refs.set(ref, hash)
    else defaultBranch ??= DEFAULT.exec(line)?.[1] ?? null
  }

  function add(chunk: Buffer): void {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new SourceError('The repository has more branches than Berth can read (8 MiB).')
    const end = chunk.lastIndexOf(10)
    if (end === -1) {
      rest = Buffer.concat([rest, chunk])
      return
    }
    for (const line of Buffer.concat([rest, chunk.subarray(0, end)])
      .toString('utf8')
      .split('\n'))
      take(line)
    rest = Buffer.from(chunk.subarray(end + 1))
  }

  return { add, read: (): Refs => ({ refs, defaultBranch }) }
}

export function branchesIn(refs: ReadonlyMap<string, string>): string[] {
  return [...refs.keys()].filter((ref) => ref.startsWith('refs/heads/')).map((ref) => ref.slice('refs/heads/'.length))
}
