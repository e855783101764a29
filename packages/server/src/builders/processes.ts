import { type AppProcess, type BuildPlan, isProcessName, MOST_PROCESSES } from '@berth/contract'
import { readBerthJson } from './berth-json.ts'
import { readProcfile } from './procfile.ts'
import { BuildProblem, nameIn, type Project } from './project.ts'

type Planned = NonNullable<BuildPlan['processes']>[number]
type Known = Pick<Planned, 'command' | 'from'>

/**
 * The processes beside the main one. A command in berth.json comes first, then one in the settings, then one in the Procfile. How many run
 * is a setting of the app: those that are not in the settings are known, and do not run until they are.
 */
export function withProcesses(plan: BuildPlan, project: Project | null, settings: readonly AppProcess[]): BuildPlan {
  const known = new Map<string, Known>([
    ...(project ? inProcfile(plan, project) : []),
    ...settings.flatMap(({ name, command }) => (command === '' ? [] : [[name, { command, from: 'the settings' }] as const])),
    ...(project ? inBerthJson(project) : []),
  ])
  for (const { name, replicas } of settings)
    if (replicas > 0 && !known.has(name))
      throw new BuildProblem(
        `The process ${name} has no command. Add a line "${name}: ..." to the Procfile, or set its command under Settings → Processes, then deploy again.`,
      )
  const numbers = new Map(settings.map(({ name, replicas }) => [name, replicas]))
  const processes = [...known].map(([name, { command, from }]) => ({ name, command, replicas: numbers.get(name) ?? 0, from }))
  // those that run first: a repository may have any number of others
  return { ...plan, processes: processes.toSorted((a, b) => Number(b.replicas > 0) - Number(a.replicas > 0)).slice(0, 2 * MOST_PROCESSES) }
}

function inProcfile({ commands, builder }: BuildPlan, project: Project): (readonly [string, Known])[] {
  const from = nameIn(project, 'Procfile')
  const start = commands.find(({ name }) => name === 'start')
  const isMain = (command: string) => start?.from === from && start.command === command
  return [...linesOf(builder, project)]
    .filter(([name, command]) => isProcessName(name) && !isMain(command))
    .map(([name, command]) => [name, { command, from }])
}

/** A Procfile beside a Dockerfile may be for another tool, so that a mistake in it does not matter. */
function linesOf(builder: BuildPlan['builder'], project: Project): ReadonlyMap<string, string> {
  try {
    return readProcfile(project)
  } catch (cause) {
    if (builder === 'dockerfile' && cause instanceof BuildProblem) return new Map()
    throw cause
  }
}

function inBerthJson(project: Project): (readonly [string, Known])[] {
  const from = nameIn(project, 'berth.json')
  return Object.entries(readBerthJson(project).processes ?? {}).map(([name, command]) => [name, { command: command.trim(), from }])
}
