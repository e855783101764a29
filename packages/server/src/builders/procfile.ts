import type { BuildPlan } from '@berth/contract'
import { BuildProblem, nameIn, type Project } from './project.ts'

/** The command of the `web` process, or of the only one. The `release` line is no process. */
export function startInProcfile(project: Project): string | undefined {
  const lines = readProcfile(project)
  const [only, ...others] = [...lines].filter(([name]) => name !== 'release').map(([, command]) => command)
  return lines.get('web') ?? (others.length === 0 ? only : undefined)
}

/** The plan with the command of the `release` line, unless something else named one. */
export function withReleaseLine(plan: BuildPlan, project: Project): BuildPlan {
  if (plan.commands.some(({ name }) => name === 'release')) return plan
  const command = linesBeside(plan.builder, project).get('release')
  if (command === undefined) return plan
  return { ...plan, commands: [...plan.commands, { name: 'release', command, from: nameIn(project, 'Procfile') }] }
}

/** A Procfile beside a Dockerfile may be for another tool, so that a mistake in it does not matter. */
export function linesBeside(builder: BuildPlan['builder'], project: Project): ReadonlyMap<string, string> {
  try {
    return readProcfile(project)
  } catch (cause) {
    if (builder === 'dockerfile' && cause instanceof BuildProblem) return new Map()
    throw cause
  }
}

/** The names and commands, in order; empty without a Procfile. */
function readProcfile(project: Project): ReadonlyMap<string, string> {
  const processes = new Map<string, string>()
  if (!project.has('Procfile')) return processes
  for (const [index, line] of project.read('Procfile').split('\n').entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const colon = text.indexOf(':')
    const name = text.slice(0, Math.max(colon, 0)).trim()
    const command = text.slice(colon + 1).trim()
    if (!/^[A-Za-z0-9_-]+$/.test(name) || command === '')
      throw new BuildProblem(
        `Line ${index + 1} of ${nameIn(project, 'Procfile')} must be a name, a colon and a command, such as "web: node server.js".`,
      )
    processes.set(name, command)
  }
  return processes
}
