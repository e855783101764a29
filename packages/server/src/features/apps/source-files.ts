import { COMPOSE_FILES, REPOSITORY_PATH, type SourceFile, type SourceFiles } from '@berth/contract'
import type { TreeFile } from '../../git/list-files.ts'
import { parseRepoPath } from '../../git/repo-path.ts'

export type BuildPlace = { rootDirectory: string; dockerfilePath: string }

const DOCKERFILE = /^((.+\.)?dockerfile|dockerfile\.(?!dockerignore$).+|containerfile)$/i
const NOT_THEIRS = /(^|\/)(node_modules|vendor|\.devcontainer)\//
const CHOICE = new RegExp(REPOSITORY_PATH)
const MAX_OTHERS = 8

/** What a deployment would find in these files, by the same rules. */
export function findSourceFiles(files: readonly TreeFile[], place: BuildPlace): SourceFiles {
  return {
    dockerfile: judge(files, [dockerfileOf(place)], isDockerfile),
    composeFile: judge(files, composeFilesOf(place), isComposeFile),
  }
}

/** Whether a file can affect the result; the others need not be kept. */
export function relevantTo(place: BuildPlace): (file: TreeFile) => boolean {
  const wanted = [dockerfileOf(place), ...composeFilesOf(place)]
  const isOther = (path: string) => (isDockerfile(nameOf(path)) || isComposeFile(nameOf(path))) && isChoice(path)
  return ({ path, isLink }) =>
    isLink ? wanted.some((each) => each === path || each.startsWith(`${path}/`)) : wanted.includes(path) || isOther(path)
}

/** The result if the files could not be listed. */
export function unknownSourceFiles(place: BuildPlace, reason: string): SourceFiles {
  const unknown = (path: string): SourceFile => ({ state: 'unknown', path, others: [], reason })
  return { dockerfile: unknown(dockerfileOf(place)), composeFile: unknown(composeFilesOf(place)[0] ?? '') }
}

function isDockerfile(name: string): boolean {
  return DOCKERFILE.test(name)
}

function isComposeFile(name: string): boolean {
  return COMPOSE_FILES.some((known) => known === name)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function dockerfileOf({ rootDirectory, dockerfilePath }: BuildPlace): string {
  return inside(rootDirectory, dockerfilePath === '' ? 'Dockerfile' : dockerfilePath)
}

function composeFilesOf({ rootDirectory }: BuildPlace): string[] {
  return COMPOSE_FILES.map((name) => inside(rootDirectory, name))
}

function inside(directory: string, name: string): string {
  const whole = directory === '' ? name : `${directory}/${name}`
  return parseRepoPath(whole) ?? whole
}

function judge(files: readonly TreeFile[], wanted: readonly string[], isOne: (name: string) => boolean): SourceFile {
  const plain = new Set(files.filter(({ isLink }) => !isLink).map(({ path }) => path))
  const links = files.filter(({ isLink }) => isLink).map(({ path }) => path)
  const linkTo = (path: string) => links.find((link) => path === link || path.startsWith(`${link}/`))
  const path = wanted.find((each) => plain.has(each) || linkTo(each) !== undefined) ?? wanted[0] ?? ''
  const others = [...plain].filter((each) => each !== path && isOne(nameOf(each)) && isChoice(each))
  const shared = { path, others: others.toSorted(nearTheTopFirst).slice(0, MAX_OTHERS) }
  if (plain.has(path)) return { ...shared, state: 'found', reason: '' }
  const link = linkTo(path)
  if (link === undefined) return { ...shared, state: 'missing', reason: '' }
  return { ...shared, state: 'unknown', reason: `${link} is a symbolic link, which only a deployment follows.` }
}

function isChoice(path: string): boolean {
  return parseRepoPath(path) === path && CHOICE.test(path) && !NOT_THEIRS.test(path)
}

function nearTheTopFirst(a: string, b: string): number {
  return a.split('/').length - b.split('/').length || (a < b ? -1 : 1)
}
