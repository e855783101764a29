import { BuildProblem, nameIn, type Project } from '../project.ts'
import { type PackageJson, runsOnInstall } from './package-json.ts'

type ManagerName = 'npm' | 'pnpm' | 'yarn' | 'bun'
export type PackageManager = {
  readonly name: ManagerName
  /** Empty if the version in the image is right. */
  readonly version: string
  readonly from: string
  readonly lockFile: string | undefined
  readonly isYarnClassic: boolean
  /**
   * The files copied before the dependencies are installed, so that they are reinstalled only if one of these changes; an empty list:
   * everything.
   */
  readonly manifests: readonly string[]
  readonly notes: readonly string[]
}

const LOCK_FILES = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
} as const satisfies Record<string, ManagerName>

const NAMED = /^(npm|pnpm|yarn|bun)@(\d[\w.-]{0,40})(?:\+.*)?$/
/** By the version of the lock file's format. */
const PNPM_OF_LOCK: Readonly<Record<string, string>> = { '5': '7', '6': '8', '9': '10' }

/** The package manager of the project whose top-level package.json this is. */
export function packageManager(project: Project, json: PackageJson): PackageManager {
  const locks = (Object.keys(LOCK_FILES) as (keyof typeof LOCK_FILES)[]).filter((file) => project.has(file)) // exactly the keys of the table
  const named = namedIn(project, json)
  const names = new Set(locks.map((file) => LOCK_FILES[file]))
  if (named === undefined && names.size > 1)
    throw new BuildProblem(
      `The repository has lock files of different package managers: ${locks.map((file) => nameIn(project, file)).join(' and ')}. Delete the one that you do not use, or set "packageManager" in package.json, then deploy again.`,
    )
  const lockFile = locks.find((file) => named === undefined || LOCK_FILES[file] === named.name)
  const name = named?.name ?? (lockFile === undefined ? 'npm' : LOCK_FILES[lockFile])
  const version = named?.version ?? defaultVersion(project, name)
  const from = named === undefined ? (lockFile === undefined ? 'the default' : nameIn(project, lockFile)) : 'packageManager in package.json'
  return {
    name,
    version,
    from,
    lockFile,
    isYarnClassic: name === 'yarn' && isClassic(project, version),
    manifests: manifestsOf(project, json, lockFile),
    notes:
      lockFile === undefined
        ? [`There is no lock file, so each build may install different versions. Commit the one that ${name} creates.`]
        : [],
  }
}

function namedIn(project: Project, json: PackageJson): { name: ManagerName; version: string } | undefined {
  if (json.packageManager === '') return undefined
  const match = NAMED.exec(json.packageManager)
  if (match?.[1] === undefined || match[2] === undefined)
    throw new BuildProblem(
      `"packageManager" in ${nameIn(project, 'package.json')} is "${json.packageManager.slice(0, 60)}". It must name npm, pnpm, yarn or bun with a version, such as pnpm@10.2.0.`,
    )
  return { name: match[1] as ManagerName, version: match[2] } // the expression lists exactly these
}

function defaultVersion(project: Project, name: ManagerName): string {
  if (name === 'bun') return '1'
  if (name !== 'pnpm') return ''
  const format = /lockfileVersion: ['"]?(\d+)/.exec(project.read('pnpm-lock.yaml').slice(0, 500))?.[1] ?? ''
  return PNPM_OF_LOCK[format] ?? '10'
}

function isClassic(project: Project, version: string): boolean {
  if (version !== '') return version.startsWith('1.')
  return !project.has('.yarnrc.yml') && !project.read('yarn.lock').slice(0, 2000).includes('__metadata:')
}

function manifestsOf(project: Project, json: PackageJson, lockFile: string | undefined): string[] {
  if (json.isWorkspaceRoot || runsOnInstall(json)) return []
  if (Object.values(json.dependencies).some((version) => /^(?:file|link|portal|workspace|patch):/.test(version))) return []
  if (project.matching(/^(?:\.yarn|patches)\//).length > 0) return []
  return [
    'package.json',
    ...(lockFile === undefined ? [] : [lockFile]),
    ...['.npmrc', '.yarnrc.yml', '.yarnrc', 'bunfig.toml'].filter(project.has),
  ]
}

type Commands = {
  /** Dockerfile lines that install the package manager. */
  readonly setUp: string | undefined
  readonly install: string
  readonly caches: readonly string[]
  /** Removes the development dependencies; undefined if the manager cannot. */
  readonly prune: string | undefined
  run(script: string): string
  runIn(packageName: string, script: string): string
}

export function managerCommands(manager: PackageManager): Commands {
  const isLocked = manager.lockFile !== undefined
  const version = manager.version === '' ? '' : `@${manager.version}`
  switch (manager.name) {
    case 'npm':
      return {
        setUp: version === '' ? undefined : `npm install -g npm${version}`,
        install: isLocked ? 'npm ci' : 'npm install',
        caches: ['target=/root/.npm'],
        prune: 'npm prune --omit=dev --ignore-scripts',
        run: (script) => `npm run ${script}`,
        runIn: (name, script) => `npm run ${script} --workspace=${name}`,
      }
    case 'pnpm':
      return {
        setUp: `npm install -g pnpm${version}`,
        install: isLocked ? 'pnpm install --frozen-lockfile' : 'pnpm install',
        caches: ['target=/root/.local/share/pnpm/store'],
        prune: 'CI=true pnpm prune --prod --ignore-scripts',
        run: (script) => `pnpm run ${script}`,
        runIn: (name, script) => `pnpm --filter=${name}... run ${script}`,
      }
    case 'yarn':
      return {
        setUp: manager.isYarnClassic ? undefined : `npm install -g --force @yarnpkg/cli-dist${version === '' ? '@4' : version}`,
        install: manager.isYarnClassic
          ? `yarn install${isLocked ? ' --frozen-lockfile' : ''}`
          : `yarn install${isLocked ? ' --immutable' : ''}`,
        caches: [manager.isYarnClassic ? 'target=/usr/local/share/.cache/yarn' : 'target=/root/.yarn/berry/cache'],
        prune: manager.isYarnClassic ? 'yarn install --production --frozen-lockfile --ignore-scripts --prefer-offline' : undefined,
        run: (script) => `yarn run ${script}`,
        runIn: (name, script) => `yarn workspace ${name} run ${script}`,
      }
    case 'bun':
      return {
        setUp: `npm install -g bun${version}`,
        install: isLocked ? 'bun install --frozen-lockfile' : 'bun install',
        caches: ['target=/root/.bun/install/cache'],
        prune: undefined,
        run: (script) => `bun run ${script}`,
        runIn: (name, script) => `bun run --filter=${name} ${script}`,
      }
    default:
      return manager.name satisfies never
  }
}
