import { args, cmd, dockerfile, pathText, run, startArgv, versionText } from '../dockerfile-text.ts'
import type { BuildInput, Override } from '../plan.ts'
import type { Project } from '../project.ts'
import { siteStage } from '../static/site.ts'
import type { Target } from './frameworks.ts'
import { managerCommands, type PackageManager } from './package-manager.ts'

export type NodeBuild = {
  readonly project: Project
  readonly nodeVersion: string
  readonly manager: PackageManager
  /** The directory of the project relative to the workspace; empty if they are the same. */
  readonly below: string
  readonly install: Override
  readonly build: Override
  readonly isWorkspace: boolean
  readonly target: Target
  readonly start: Override | undefined
  readonly output: string
  readonly input: BuildInput
}

const APP = '/app'

export function nodeDockerfile(build: NodeBuild): { text: string; notes: string[] } {
  const image = `node:${versionText(build.nodeVersion, 'The version of Node.js')}-slim`
  const home = build.below === '' ? APP : `${APP}/${pathText(build.below, 'The root directory')}`
  if (build.target.makes === 'files') {
    const output = pathText(build.output, 'The output directory')
    const { lines, notes } = siteStage(build.project, {
      port: build.input.port,
      isSinglePage: build.target.isSinglePage,
      from: `--from=build ${home}/${output}/`,
      places: ['public', 'static', ''],
    })
    const check = `test -f ${home}/${output}/index.html || { echo "The build did not create ${output}/index.html. Set the output directory to where it writes the site."; exit 1; }`
    return { text: dockerfile([...buildStage(build, image), run(check)], lines), notes }
  }
  return { text: dockerfile(buildStage(build, image, pruneOf(build)), runStage(build, image, home)), notes: [] }
}

function buildStage({ manager, install, build, input }: NodeBuild, image: string, prune?: string): string[] {
  const commands = managerCommands(manager)
  const isOwnInstall = install.text === commands.install
  const copies = isOwnInstall && manager.manifests.length > 0
  return [
    `FROM ${image} AS build`,
    `WORKDIR ${APP}`,
    ...(commands.setUp === undefined ? [] : [run(commands.setUp, ['target=/root/.npm'])]),
    ...(copies ? [`COPY ${manager.manifests.join(' ')} ./`] : ['COPY . .']),
    ...args(input.buildArgs),
    run(install.text, commands.caches),
    ...(copies ? ['COPY . .'] : []),
    ...(build.text === '' ? [] : [run(build.text)]),
    ...(prune === undefined ? [] : [run(prune, commands.caches)]),
  ]
}

/** In a workspace nothing is removed, because other packages may need what this one does not. */
function pruneOf({ manager, isWorkspace, target, install }: NodeBuild): string | undefined {
  const { prune, install: own } = managerCommands(manager)
  const isStandalone = target.makes === 'program' && target.standalone === true
  return isWorkspace || isStandalone || install.text !== own || manager.lockFile === undefined ? undefined : prune
}

function runStage(build: NodeBuild, image: string, home: string): string[] {
  const { target, start, input, manager } = build
  const env = { NODE_ENV: 'production', ...(target.makes === 'program' && target.env), PORT: String(input.port ?? 3000) }
  const isStandalone = target.makes === 'program' && target.standalone === true
  const bun = manager.name === 'bun' && /\bbunx?\b/.test(start?.text ?? '') ? managerCommands(manager).setUp : undefined
  return [
    `FROM ${image}`,
    ...(bun === undefined ? [] : [run(bun)]),
    `ENV ${Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
    ...(isStandalone ? standalone(build, home) : programFiles(home)),
    'USER node',
    ...(input.port === null ? [] : [`EXPOSE ${input.port}`]),
    cmd(startArgv(start?.text ?? '')),
  ]
}

function programFiles(home: string): string[] {
  const folders = [...new Set([`${home}/node_modules/.bin`, `${APP}/node_modules/.bin`])]
  return [`ENV PATH=${folders.join(':')}:$PATH`, `COPY --from=build --chown=node:node ${APP} ${APP}`, `WORKDIR ${home}`]
}

/** In a workspace, the standalone output of Next.js keeps the path of the project within it. */
function standalone({ below, project }: NodeBuild, home: string): string[] {
  const server = below === '' ? APP : `${APP}/${below}`
  const hasPublic = project.matching(/^public\//).length > 0
  return [
    `COPY --from=build --chown=node:node ${home}/.next/standalone ${APP}`,
    `COPY --from=build --chown=node:node ${home}/.next/static ${server}/.next/static`,
    ...(hasPublic ? [`COPY --from=build --chown=node:node ${home}/public ${server}/public`] : []),
    `WORKDIR ${server}`,
  ]
}
