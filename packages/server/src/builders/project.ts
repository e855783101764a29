import { parseForeignJson, TooManyParts } from '../lib/foreign-json.ts'

/** The files of a repository that were read, with paths relative to its root. */
export type RepositoryFiles = {
  readonly paths: ReadonlySet<string>
  /** The contents of files that detectors read. */
  readonly texts: ReadonlyMap<string, string>
}

/** A project in a repository. Paths are relative to its own directory. */
export type Project = {
  /** Its directory in the repository; empty for the repository itself. */
  readonly root: string
  readonly files: RepositoryFiles
  readonly has: (name: string) => boolean
  /** Empty if the file does not exist. */
  readonly read: (name: string) => string
  /** The first of these files that exists. */
  readonly first: (names: readonly string[]) => string | undefined
  /** The matching files of the project, relative to its directory, sorted. */
  readonly matching: (pattern: RegExp) => readonly string[]
}

/** A problem found before the build starts. The message says what is wrong and what to do. */
export class BuildProblem extends Error {
  override readonly name = 'BuildProblem'
}

export function projectAt(files: RepositoryFiles, root: string): Project {
  const pathOf = (name: string) => (root === '' ? name : `${root}/${name}`)
  const has = (name: string) => files.paths.has(pathOf(name))
  let own: readonly string[] | undefined
  const names = () => {
    own ??= [...files.paths]
      .filter((path) => root === '' || path.startsWith(`${root}/`))
      .map((path) => (root === '' ? path : path.slice(root.length + 1)))
    return own
  }
  return {
    root,
    files,
    has,
    read: (name) => files.texts.get(pathOf(name)) ?? '',
    first: (candidates) => candidates.find(has),
    matching: (pattern) =>
      names()
        .filter((name) => pattern.test(name))
        .toSorted(),
  }
}

/** For tests and tables: each file with its content. */
export function repositoryOf(contents: Readonly<Record<string, string>>): RepositoryFiles {
  return { paths: new Set(Object.keys(contents)), texts: new Map(Object.entries(contents)) }
}

/** Parses a JSON object, or throws a problem that names the file. */
export function jsonIn(project: Project, name: string): Readonly<Record<string, unknown>> {
  const text = project.read(name)
  try {
    const value: unknown = parseForeignJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown> // an object, checked above
  } catch (cause) {
    if (cause instanceof TooManyParts) throw new BuildProblem(`${nameIn(project, name)} cannot be read. ${cause.message}`, { cause })
    const why = cause instanceof Error ? cause.message : ''
    throw new BuildProblem(`${nameIn(project, name)} is not valid JSON: ${why.slice(0, 200)}. Fix it, then deploy again.`, { cause })
  }
  throw new BuildProblem(`${nameIn(project, name)} must contain a JSON object. Fix it, then deploy again.`)
}

export function nameIn({ root }: Pick<Project, 'root'>, name: string): string {
  return root === '' ? name : `${root}/${name}`
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {} // an object, checked here
}
