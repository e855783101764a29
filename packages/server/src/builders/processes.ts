import { type AppProcess, type BuildPlan, isProcessName, limitsOf, MOST_PROCESSES } from '@berth/contract'
import { readBerthJson } from './berth-json.ts'
import { linesBeside } from './procfile.ts'
import { BuildProblem, nameIn, type Project } from './project.ts'

type Planned = NonNullable<BuildPlan['processes']>[number]
type Known = Omit<Planned, 'name' | 'replicas'>

/**
 * The processes beside the main one. A command in berth.json comes first, then one in the settings, then one in the Procfile; limits in
 * berth.json come before those in the settings. How many run is a setting of the app: those that are not in the settings are known, and do not run until they are.
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
        `The process ${name} has no command. Add a line "${name}: ..." to the Procfile, or set its command under Settings → Other processes, then deploy again.`,
      )
  const set = new Map(settings.map((each) => [each.name, each]))
  const processes = [...known].map(([name, { command, from, ...limits }]) => {
    const { replicas = 0, ...own } = set.get(name) ?? {}
    return { name, command, replicas, from, ...limitsOf(own), ...limits }
  })
  // those that run first: a repository may have any number of others
  return { ...plan, processes: processes.toSorted((a, b) => Number(b.replicas > 0) - Number(a.replicas > 0)).slice(0, 2 * MOST_PROCESSES) }
}

function inProcfile({ commands, builder }: BuildPlan, project: Project): (readonly [string, Known])[] {
  const from = nameIn(project, 'Procfile')
  const start = commands.find(({ name }) => name === 'start')
  const isMain = (command: string) => start?.from === from && start.command === command
  return [...linesBeside(builder, project)]
    .filter(([name, command]) => isProcessName(name) && !isMain(command))
    .map(([name, command]) => [name, { command, from }])
}

function inBerthJson(project: Project): (readonly [string, Known])[] {
  const from = nameIn(project, 'berth.json')
  return Object.entries(readBerthJson(project).processes ?? {}).map(([name, given]) => {
    const { command, ...limits } = typeof given === 'string' ? { command: given } : given
    return [name, { command: command.trim(), from, ...limitsOf(limits) }]
  })
}
