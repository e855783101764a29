import { constants, type Dirent } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { RepositoryFiles } from './project.ts'

/** Far more than a detector needs; deeper files are not relevant. */
const MOST_ENTRIES = 50_000
const MOST_DEPTH = 3
const MOST_TEXTS = 300
const MOST_BYTES = 128 * 1024
const MOST_BYTES_IN_ALL = 16 * 1024 * 1024
const SKIPPED = new Set(['.git', 'node_modules', 'vendor', '.venv', '__pycache__', '.next', 'target'])

/** LIST of the files whose contents detectors read, in the project's directory and its parent directories. */
const READ = new Set(
  [
    'package.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock .nvmrc .node-version .tool-versions angular.json',
    'requirements.txt pyproject.toml Pipfile .python-version runtime.txt manage.py',
    'go.mod Gemfile .ruby-version composer.json Cargo.toml rust-toolchain rust-toolchain.toml',
    'pom.xml build.gradle build.gradle.kts system.properties mix.exs deno.json deno.jsonc Procfile berth.json',
  ].flatMap((names) => names.split(' ')),
)
const READ_CONFIG = /^(?:next|svelte|astro|vite|nuxt|react-router)\.config\.[cm]?[jt]s$|^[^.]+\.go$/
/** And in its subdirectories. */
const READ_BELOW =
  /^(?:main|app|server|application|wsgi|asgi|__init__|index|settings|base|production)\.py$|\.(?:csproj|fsproj)$|^_(?:redirects|headers)$/

/**
 * The paths of a checkout, and the beginnings of the files that detectors read. Links are skipped, so nothing outside is read, even if a
 * file is replaced by a link meanwhile. `root` is read first, so that a large repository does not hide the project.
 */
export async function readRepository(directory: string, root: string): Promise<RepositoryFiles> {
  const paths = new Set<string>()
  const texts = new Map<string, string>()
  const wanted: string[] = []
  // The whole project, and the top level of the repository for the manifests of its workspace.
  const folders = [
    { path: root, depth: 0, isRead: true },
    ...above(root).map((folder) => ({ path: folder, depth: MOST_DEPTH, isRead: true })),
  ]
  let entries = 0
  for (const next of folders) {
    if (entries >= MOST_ENTRIES) break
    for (const entry of await readdir(path.join(directory, next.path), { withFileTypes: true })) {
      entries += 1
      if (entries > MOST_ENTRIES) break
      const name = next.path === '' ? entry.name : `${next.path}/${entry.name}`
      if (isFolder(entry) && next.depth < MOST_DEPTH) folders.push({ path: name, depth: next.depth + 1, isRead: false })
      if (!entry.isFile()) continue
      paths.add(name)
      if (READ_BELOW.test(entry.name) || (next.isRead && (READ.has(entry.name) || READ_CONFIG.test(entry.name)))) wanted.push(name)
    }
  }
  await readTexts(directory, wanted.slice(0, MOST_TEXTS), texts)
  return { paths, texts }
}

async function readTexts(directory: string, names: readonly string[], texts: Map<string, string>): Promise<void> {
  const buffer = Buffer.alloc(MOST_BYTES)
  let bytes = 0
  for (const name of names) {
    await using handle = await open(path.join(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW)
    const { bytesRead } = await handle.read(buffer, 0, MOST_BYTES, 0)
    bytes += bytesRead
    if (bytes > MOST_BYTES_IN_ALL) return
    texts.set(name, buffer.toString('utf8', 0, bytesRead))
  }
}

function above(root: string): string[] {
  const parts = root === '' ? [] : root.split('/')
  return parts.map((_, index) => parts.slice(0, index).join('/'))
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory() && !SKIPPED.has(entry.name)
}
