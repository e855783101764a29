import type { BuildInput, Override } from '../plan.ts'
import { BuildProblem, nameIn, type Project } from '../project.ts'
import type { Target } from './frameworks.ts'
import { type PackageJson, scriptOf } from './package-json.ts'

const MAIN_FILES = ['server.js', 'index.js', 'app.js', 'main.js', 'server.mjs', 'index.mjs', 'src/server.js', 'src/index.js', 'src/main.js']
const RUN_SCRIPT = /^(?:npm (?:run )?|pnpm (?:run )?|yarn (?:run )?|bun run )([A-Za-z0-9:_-]+)$/

/** How a Node.js program is started: by the setting, by its package.json, or from a usual entry file. */
export function startOf(project: Project, json: PackageJson, { target, input }: { target: Target; input: BuildInput }): Override {
  const override = input.overrides.start
  if (override.text !== '') return override
  if (target.makes === 'program') return { text: target.start, from: 'the framework' }
  const script = scriptOf(json, 'start')
  if (script !== '') return { text: resolved(json, 'start'), from: `the start script in ${nameIn(project, 'package.json')}` }
  const isThere = json.main !== '' && (project.has(json.main) || scriptOf(json, 'build') !== '')
  if (isThere && /^[A-Za-z0-9_./-]+$/.test(json.main))
    return { text: `node ${json.main}`, from: `main in ${nameIn(project, 'package.json')}` }
  const file = project.first(MAIN_FILES)
  if (file !== undefined) return { text: `node ${file}`, from: nameIn(project, file) }
  throw new BuildProblem(
    `Berth cannot tell how to start this project: ${nameIn(project, 'package.json')} has no "start" script, and no "main" that exists. Add a start script, or set Settings → Start command; for a static site, set Settings → Builder to Static site. Then deploy again.`,
  )
}

/**
 * The text of a script, so that the program runs directly and receives stop signals: package managers keep a shell in between. A script
 * that only runs another one is followed.
 */
function resolved(json: PackageJson, name: string, depth = 0): string {
  const text = scriptOf(json, name).trim()
  const before = scriptOf(json, `pre${name}`).trim()
  const other = RUN_SCRIPT.exec(text)?.[1]
  const isFollowed = other !== undefined && other !== name && scriptOf(json, other) !== '' && depth < 5
  const whole = isFollowed ? resolved(json, other, depth + 1) : text
  return before === '' ? whole : `${before} && ${whole}`
}
