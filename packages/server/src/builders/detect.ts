import type { BuildPlan } from '@berth/contract'
import { type BerthJson, readBerthJson } from './berth-json.ts'
import { withSecrets } from './dockerfile-text.ts'
import { detectDeno } from './languages/deno.ts'
import { detectDotnet } from './languages/dotnet.ts'
import { detectElixir } from './languages/elixir.ts'
import { detectGo } from './languages/go.ts'
import { detectJava } from './languages/java.ts'
import { detectPhp } from './languages/php.ts'
import { detectPython } from './languages/python.ts'
import { detectRuby } from './languages/ruby.ts'
import { detectRust } from './languages/rust.ts'
import { detectNode } from './node/detect.ts'
import { type BuildInput, type DetectedPlan, NO_OVERRIDE, type Override, type Overrides } from './plan.ts'
import { startInProcfile } from './procfile.ts'
import { nameIn, type Project } from './project.ts'
import { detectFiles, planSite } from './static/detect.ts'

type Detector = (project: Project, input: BuildInput) => DetectedPlan | null

/** LIST of the detectors, in order: a language that often has a package.json for its assets comes before Node.js. */
const DETECTORS: readonly Detector[] = [
  detectPhp,
  detectRuby,
  detectElixir,
  detectDeno,
  detectNode,
  detectPython,
  detectGo,
  detectRust,
  detectJava,
  detectDotnet,
  detectFiles,
]

export type Detected = { readonly plan: BuildPlan; readonly context: string }

/** The settings of an app that affect detection. */
export type GivenSettings = Required<Pick<BerthJson, 'installCommand' | 'buildCommand' | 'startCommand' | 'outputDirectory'>>
export type DetectionInput = {
  readonly settings: GivenSettings
  readonly port: number | null
  readonly buildArgs: readonly string[]
  /** The names of the build secrets. */
  readonly buildSecrets?: readonly string[]
}

/** What a project is and how it is built, or null if nothing is recognised. Throws a BuildProblem if it cannot be deployed. */
export function detect(project: Project, given: DetectionInput): Detected | null {
  const input = inputOf(project, given)
  for (const detector of DETECTORS) {
    const plan = detector(project, input)
    if (plan !== null) return detected('auto', plan, given)
  }
  return null
}

/** The builder `static`. */
export function detectSite(project: Project, given: DetectionInput): Detected {
  return detected('static', planSite(project, inputOf(project, given)), given)
}

function detected(builder: BuildPlan['builder'], { context, ...plan }: DetectedPlan, { buildSecrets = [] }: DetectionInput): Detected {
  return { plan: { builder, ...plan, dockerfile: withSecrets(plan.dockerfile, buildSecrets) }, context }
}

function inputOf(project: Project, given: DetectionInput): BuildInput {
  return { overrides: overridesOf(project, given.settings), port: given.port, buildArgs: given.buildArgs.toSorted() }
}

/** berth.json comes first, then the settings of the app, then the Procfile. */
function overridesOf(project: Project, settings: GivenSettings): Overrides {
  const file = readBerthJson(project)
  const of = (key: keyof GivenSettings): Override => {
    const inFile = file[key] ?? ''
    if (inFile.trim() !== '') return { text: inFile.trim(), from: nameIn(project, 'berth.json') }
    return settings[key].trim() === '' ? NO_OVERRIDE : { text: settings[key].trim(), from: 'the settings' }
  }
  const start = of('startCommand')
  const inProcfile = startInProcfile(project)
  return {
    install: of('installCommand'),
    build: of('buildCommand'),
    start: start.text === '' && inProcfile !== undefined ? { text: inProcfile, from: nameIn(project, 'Procfile') } : start,
    output: of('outputDirectory'),
  }
}
