import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureProjectBases } from '../../testing/images/base-images.ts'
import { type EdgeLab, startEdgeLab, until } from '../../testing/labs/edge-lab.ts'
import { BUILT, type BuiltProject } from './built-projects.ts'
import { NODE_PROJECTS } from './node-projects.ts'
import { OTHER_PROJECTS } from './other-projects.ts'
import type { ProjectRow } from './project-row.ts'

const run = promisify(execFile)
const ROWS: Readonly<Record<string, ProjectRow>> = { ...NODE_PROJECTS, ...OTHER_PROJECTS }
const BUILD_MS = 900_000

let lab: EdgeLab
let images: AsyncDisposable
beforeAll(async () => {
  lab = await startEdgeLab({ tuning: { healthDeadlineMs: 120_000 } })
  images = await ensureProjectBases(lab.engine)
}, 600_000)
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await images[Symbol.asyncDispose]()
})

/** What each package manager writes its lock file with, without installing where it can. */
const LOCKS: Readonly<Record<string, readonly string[]>> = {
  'package-lock.json': ['npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'],
  'pnpm-lock.yaml': ['npx', '--yes', 'pnpm@10', 'install', '--lockfile-only', '--ignore-scripts'],
  'yarn.lock': ['npx', '--yes', 'yarn@1.22.22', 'install', '--ignore-scripts', '--ignore-engines'],
  'bun.lock': ['npx', '--yes', 'bun@1', 'install', '--lockfile-only', '--ignore-scripts'],
}

/** Any version of pnpm writes the same lock file. */
const LOCK_ENV = { NODE_ENV: 'development', npm_config_manage_package_manager_versions: 'false' }

type Source = { files: Record<string, string>; installCommand?: string }

/** The files of the row, completed, with a lock file that its package manager wrote. */
async function sourceOf(row: ProjectRow, built: BuiltProject): Promise<Source> {
  const files: Record<string, string> = { ...row.files, ...built.adds }
  if (files['package.json'] !== undefined) files['package.json'] = packageOf(files['package.json'], built)
  const lock = Object.keys(LOCKS).find((name) => files[name] !== undefined)
  if (lock === undefined) return { files }
  const { text: written, isRefused } = await lockOf(files, lock)
  files[lock] = written
  return { files, ...(isRefused && { installCommand: 'npm install --no-save' }) }
}

function packageOf(text: string, built: BuiltProject): string {
  const own = JSON.parse(text) as Record<string, object> // of the table
  const merged = (key: 'dependencies' | 'devDependencies') => ({ [key]: { ...own[key], ...built[key] } })
  return JSON.stringify({
    name: 'project',
    version: '1.0.0',
    ...own,
    ...merged('dependencies'),
    ...merged('devDependencies'),
    ...built.package,
  })
}

/** A registry that lacks packages for other systems makes a lock file that `npm ci` refuses, and that is not what is tested here. */
async function isRefused(directory: string, lock: string): Promise<boolean> {
  if (lock !== 'package-lock.json') return false
  return await run('npm', ['ci', '--dry-run', '--ignore-scripts'], { cwd: directory }).then(
    () => false,
    () => true,
  )
}

async function lockOf(files: Readonly<Record<string, string>>, lock: string): Promise<{ text: string; isRefused: boolean }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-lock-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(directory, name)), { recursive: true })
      if (name !== lock) await writeFile(path.join(directory, name), content)
    }
    const [program = '', ...args] = LOCKS[lock] ?? []
    await run(program, args, { cwd: directory, timeout: BUILD_MS, env: { ...process.env, ...LOCK_ENV } })
    return { text: await readFile(path.join(directory, lock), 'utf8'), isRefused: await isRefused(directory, lock) }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function visit(host: string, at: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  request({ host: '127.0.0.1', port: lab.httpPort, path: at, headers: { host } }, (answer) => void text(answer).then(resolve, reject))
    .once('error', reject)
    .end()
  return await promise
}

it.each(Object.entries(BUILT))('%s is built, deployed, and answers through the edge', async (name, built) => {
  const row = ROWS[name]
  if (row === undefined || !('title' in row)) throw new Error(`${name} is no project of the table`)
  const { files, installCommand } = await sourceOf(row, built)
  if (installCommand !== undefined)
    process.stdout.write(`${name}: installed with "${installCommand}", because npm ci refuses the lock file\n`)
  const repository = await lab.git.createRepository({ files })
  const app = await lab.call('apps.create', {
    name,
    projectId: lab.project.id,
    port: 3000,
    gitCloneUrl: repository.url,
    gitBranch: 'main',
    rootDirectory: row.root ?? '',
    builder: row.builder ?? 'auto',
    ...(installCommand !== undefined && { installCommand }),
    ...row.settings,
    ...built.settings,
    ...(row.buildArgs && { buildArgs: Object.fromEntries(row.buildArgs.map((key) => [key, 'x'])) }),
  })
  const host = `${name}.example.test`
  await lab.call('domains.create', { appId: app.id, domain: host })
  const { id } = await lab.call('deployments.add', { appId: app.id })
  const ended = await until(
    async () => {
      const found = await lab.call('deployments.get', { id })
      return ['success', 'failed', 'stopped'].includes(found.status) && found
    },
    `deployment of ${name}`,
    BUILD_MS,
  )
  const log = ended.status === 'success' ? '' : (await lab.call('deployments.log', { deploymentId: id })).slice(-3000)
  expect({ status: ended.status, why: ended.error_message, log }).toEqual({ status: 'success', why: '', log: '' })
  expect((await lab.call('deployments.plan', { id })).title).toBe(row.title)
  expect(await visit(host, built.path ?? '/')).toContain(built.answers)
  await lab.call('apps.delete', { appId: app.id })
})
