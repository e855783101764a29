import { parseArgs } from 'node:util'
import { nameOf, readArguments } from './arguments.ts'
import { type Command, type Context, type ExitCode, type Values, WrongUsage } from './command.ts'
import { topics } from './commands.ts'
import { createConnection } from './connection.ts'
import { problemOf } from './failure.ts'
import { commandsUnder, findCommand } from './find-command.ts'
import { createFollow } from './follow.ts'
import { helpFor, helpForAll, helpForGroup } from './help.ts'
import { createOutput } from './output.ts'
import { createPrompt } from './prompt.ts'
import { createSettings, type Environment } from './settings.ts'
import { VERSION } from './version.ts'

type Deps = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: NodeJS.WritableStream & { isTTY?: boolean }
  stderr: NodeJS.WritableStream
  env: Environment
  signal: AbortSignal
}

const EVERYWHERE = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
const HELP = new Set(['help', '--help', '-h'])
const all: readonly Command[] = Object.values(topics).flat()

function parse(command: Command, words: readonly string[]): { positionals: string[]; values: Values } {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short !== undefined && { short }) },
    ]),
  )
  try {
    return parseArgs({ args: [...words], options: { ...options, ...EVERYWHERE }, allowPositionals: true })
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : String(cause), { cause })
  }
}

function contextFor(deps: Deps, out: Context['out']): Context {
  const settings = createSettings(deps.env)
  const { api, headers, signIn } = createConnection({ settings, signal: deps.signal })
  const follow = createFollow({ url: settings.url ?? '', headers, signal: deps.signal })
  return { api, out, settings, follow, signIn, prompt: createPrompt(deps), now: () => new Date() }
}

/** Help for everything, for one command, or for all commands that begin with a word. */
function helpAbout(words: readonly string[]): string {
  if (words.length === 0) return helpForAll(topics, VERSION)
  const name = words.join(' ')
  const group = commandsUnder(all, name)
  const isGroup = group.length > 0 && !group.some(({ usage }) => nameOf(usage) === name)
  return isGroup ? helpForGroup(group) : helpFor(findCommand(all, words).command, all)
}

/** Runs one command line and returns its exit code. */
export async function run(words: readonly string[], deps: Deps): Promise<ExitCode> {
  const [verb] = words
  const out = createOutput({ ...deps, isJson: words.includes('--json') })
  try {
    if (verb === '--version') return out.text(`${VERSION}\n`) ?? 0
    if (verb === undefined) return out.text(helpAbout([])) ?? 2
    if (HELP.has(verb)) return out.text(helpAbout(words.slice(1))) ?? 0
    const firstOption = words.findIndex((word) => word.startsWith('-'))
    const names = firstOption < 0 ? words : words.slice(0, firstOption)
    if (words.slice(names.length).some((word) => word === '--help' || word === '-h')) return out.text(helpAbout(names)) ?? 0
    const { command, rest } = findCommand(all, names)
    const { positionals, values } = parse(command, [...rest, ...words.slice(names.length)])
    return await command.run(contextFor(deps, out), readArguments(command.usage, positionals), values)
  } catch (cause) {
    if (deps.signal.aborted) return 130
    const problem = problemOf(cause)
    out.failure(problem)
    return problem.exit
  }
}
