import { type BuildInput, chosen, commandsOf, type DetectedPlan } from '../plan.ts'
import { BuildProblem, nameIn, type Project, projectAt } from '../project.ts'
import { nodeDockerfile } from './dockerfile.ts'
import { type Framework, frameworkOf, type Target } from './frameworks.ts'
import { nodeVersion } from './node-version.ts'
import { isWorkspaceRoot, majorOf, type PackageJson, packageName, readPackageJson, scriptOf } from './package-json.ts'
import { managerCommands, type PackageManager, packageManager } from './package-manager.ts'
import { startOf } from './start.ts'

type Found = {
  readonly project: Project
  readonly json: PackageJson
  /** The workspace that contains it, or the project itself. */
  readonly top: Project
  readonly topJson: PackageJson
}

/** A project with a package.json. `asSite`: its build output is served as static files. */
export function detectNode(project: Project, input: BuildInput, options: { asSite: boolean } = { asSite: false }): DetectedPlan | null {
  if (!project.has('package.json')) return null
  const json = readPackageJson(project)
  const top = workspaceOf(project)
  const found: Found = { project, json, top, topJson: top === project ? json : readPackageJson(top) }
  const framework = frameworkOf(json)
  const { overrides } = input
  const target = targetOf(found, framework, { input, asSite: options.asSite })
  const manager = packageManager(top, found.topJson)
  const commands = managerCommands(manager)
  const install = chosen(overrides.install, commands.install, manager.from)
  const build = chosen(overrides.build, buildCommand(found, commands), `the build script in ${nameIn(project, 'package.json')}`)
  const start = target.makes === 'files' ? undefined : startOf(project, json, { target, input })
  const output = target.makes === 'files' ? chosen(overrides.output, target.output, framework?.name ?? 'the default').text : ''
  if (target.makes === 'files' && build.text === '') throw noBuild(project)
  const version = nodeVersion(top === project ? [project] : [project, top], [json, found.topJson])
  const below = project.root === top.root ? '' : project.root.slice(top.root === '' ? 0 : top.root.length + 1)
  const isWorkspace = top !== project || json.isWorkspaceRoot
  const image = nodeDockerfile({
    project,
    nodeVersion: version.version,
    manager,
    below,
    install,
    build,
    isWorkspace,
    target,
    start,
    output,
    input,
  })
  return {
    kind: 'node',
    title: titleOf(framework, json, { manager, version: version.version }),
    files: [nameIn(project, 'package.json'), ...(manager.lockFile === undefined ? [] : [nameIn(top, manager.lockFile)]), ...toolFiles(top)],
    versions: [version, ...(manager.version === '' ? [] : [{ name: manager.name, version: manager.version, from: manager.from }])],
    commands: commandsOf({ install, build, start }),
    outputDirectory: output,
    port: input.port,
    dockerfile: image.text,
    notes: [...manager.notes, ...image.notes],
    context: top.root,
  }
}

/** Far deeper than a package is in its workspace. */
const MOST_LEVELS = 10

/** The nearest parent directory with a workspace, if the project is part of it. */
function workspaceOf(project: Project): Project {
  const parts = project.root.split('/')
  for (let up = 1; up <= Math.min(parts.length, MOST_LEVELS) && project.root !== ''; up += 1) {
    const above = projectAt(project.files, parts.slice(0, -up).join('/'))
    if (above.has('package.json') && isWorkspaceRoot(above)) return above
  }
  return project
}

function targetOf({ project, json }: Found, framework: Framework | undefined, options: { input: BuildInput; asSite: boolean }): Target {
  const { overrides } = options.input
  const isSite = options.asSite || overrides.output.text !== ''
  if (!isSite && overrides.start.text !== '') return { makes: 'whatever start runs' }
  const target = framework?.targetOf(project, json) ?? { makes: 'whatever start runs' }
  if (!isSite || target.makes === 'files') return target
  return { makes: 'files', output: 'dist', isSinglePage: false }
}

/** Tools that build the dependencies of a package before the package. */
function buildCommand({ project, json, top, topJson }: Found, commands: ReturnType<typeof managerCommands>): string {
  if (scriptOf(json, 'build') === '') return ''
  const isTurbo = top.has('turbo.json') && Object.hasOwn(topJson.dependencies, 'turbo')
  const isNx = top.has('nx.json') && Object.hasOwn(topJson.dependencies, 'nx')
  if (top === project) return commands.run('build')
  const name = packageName(project, json)
  if (isTurbo) return `node_modules/.bin/turbo run build --filter=${name}`
  if (isNx) return `node_modules/.bin/nx run ${name}:build`
  return commands.runIn(name, 'build')
}

function toolFiles(top: Project): string[] {
  return ['turbo.json', 'nx.json', 'pnpm-workspace.yaml', '.nvmrc', '.node-version'].filter(top.has).map((file) => nameIn(top, file))
}

function titleOf(framework: Framework | undefined, json: PackageJson, used: { manager: PackageManager; version: string }): string {
  const major = framework === undefined ? '' : majorOf(json, framework.dependency)
  const name = framework === undefined ? [] : [major === '' ? framework.name : `${framework.name} ${major}`]
  const { manager } = used
  return [...name, manager.name === 'yarn' && !manager.isYarnClassic ? 'yarn (berry)' : manager.name, `Node.js ${used.version}`].join(', ')
}

function noBuild(project: Project): BuildProblem {
  return new BuildProblem(
    `${nameIn(project, 'package.json')} has no "build" script, so nothing builds the site. Add one, or set Settings → Build command, then deploy again.`,
  )
}
