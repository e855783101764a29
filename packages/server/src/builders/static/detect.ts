import { withoutTrailing } from '../../lib/without-trailing.ts'
import { detectNode } from '../node/detect.ts'
import { readPackageJson, scriptOf } from '../node/package-json.ts'
import type { BuildInput, DetectedPlan } from '../plan.ts'
import { BuildProblem, nameIn, type Project } from '../project.ts'
import { plainSite } from './site.ts'

/** Files served unchanged: index.html at the top level, or in the configured folder. */
export function detectFiles(project: Project, input: BuildInput): DetectedPlan | null {
  const directory = withoutTrailing(input.overrides.output.text, '/').replace(/^\.\/?/, '')
  const found = directory === '' ? project.first(['index.html', 'public/index.html']) : `${directory}/index.html`
  if (found === undefined || !project.has(found)) return null
  const folder = found.slice(0, Math.max(found.lastIndexOf('/'), 0))
  const site = plainSite(project, { directory: folder, port: input.port })
  return {
    kind: 'static',
    title: 'Static files',
    files: [found, ...['_redirects', '_headers'].map((name) => (folder === '' ? name : `${folder}/${name}`)).filter(project.has)].map(
      (file) => nameIn(project, file),
    ),
    versions: [],
    commands: [],
    outputDirectory: folder === '' ? '.' : folder,
    port: input.port,
    dockerfile: site.text,
    notes: site.notes,
    context: project.root,
  }
}

/** The builder `static`: the output of the project's build, or its files unchanged. */
export function planSite(project: Project, input: BuildInput): DetectedPlan {
  const isBuilt = project.has('package.json') && (input.overrides.build.text !== '' || scriptOf(readPackageJson(project), 'build') !== '')
  const plan = isBuilt ? detectNode(project, input, { asSite: true }) : detectFiles(project, input)
  if (plan !== null) return plan
  const { output } = input.overrides
  const where = output.text === '' ? nameIn(project, 'index.html') : nameIn(project, `${output.text}/index.html`)
  throw new BuildProblem(
    `There is no ${where} to serve, and no package.json with a build script that would create it. Set Settings → Output directory to where the site is, then deploy again.`,
  )
}
