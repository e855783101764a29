import { type BuildInput, commandsOf, type DetectedPlan, type Override } from '../plan.ts'
import { nameIn, type Project } from '../project.ts'

type Parts = {
  readonly kind: string
  readonly title: string
  readonly files: readonly string[]
  readonly versions: DetectedPlan['versions']
  readonly commands: { install?: Override; build?: Override; start?: Override }
  readonly dockerfile: string
  readonly notes?: readonly string[]
}

/** A plan for a project that is built in its own directory, without a workspace. */
export function plainPlan(project: Project, input: BuildInput, parts: Parts): DetectedPlan {
  return {
    kind: parts.kind,
    title: parts.title,
    files: parts.files.filter(project.has).map((file) => nameIn(project, file)),
    versions: parts.versions,
    commands: commandsOf(parts.commands),
    outputDirectory: '',
    port: input.port,
    dockerfile: parts.dockerfile,
    notes: [...(parts.notes ?? [])],
    context: project.root,
  }
}

export type Version = DetectedPlan['versions'][number]

/** The value of a line such as `key = "value"`, in the first section that has it. */
export function tomlText(text: string, key: string): string {
  for (const line of text.split('\n')) {
    const equals = line.indexOf('=')
    if (equals === -1 || line.slice(0, equals).trim() !== key) continue
    const value = line.slice(equals + 1).trim()
    const quote = value.charAt(0)
    if (quote === '"' || quote === "'") return value.slice(1, Math.max(value.indexOf(quote, 1), 1))
  }
  return ''
}

/** An unprivileged user in a Debian image. */
export const APP_USER = 'RUN useradd --create-home --uid 1000 app'
