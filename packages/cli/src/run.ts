import { parseArgs } from 'node:util'
import { type Command, type Context, type ExitCode, type Values, WrongUsage } from './command.ts'
import { commands } from './commands.ts'
import { createConnection } from './connection.ts'
import { problemOf } from './failure.ts'
import { createFollow } from './follow.ts'
import { helpFor, helpForAll } from './help.ts'
import { createOutput } from './output.ts'
import { createPrompt } from './prompt.ts'
import { createSettings } from './settings.ts'
import { VERSION } from './version.ts'

type Deps = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
  signal: AbortSignal
}

const EVERYWHERE = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

function commandNamed(verb: string): Command {
  const list: Readonly<Record<string, Command>> = commands
  const command = Object.hasOwn(list, verb) ? list[verb] : undefined
  if (!command) throw new WrongUsage(`There is no command "${verb}".`)
  return command
}

function parse(command: Command, words: readonly string[]): { positionals: string[]; values: Values } {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, short }]) => [name, short === undefined ? { type } : { type, short }]),
  )
  try {
    return parseArgs({ args: [...words], options: { ...options, ...EVERYWHERE }, allowPositionals: true })
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : String(cause), { cause })
  }
}

function contextFor(deps: Deps, out: Context['out']): Context {
  const settings = createSettings()
  const { api, headers, signIn } = createConnection({ settings, signal: deps.signal })
  const follow = createFollow({ url: settings.url ?? '', headers, signal: deps.signal })
  return { api, out, settings, follow, signIn, prompt: createPrompt(deps) }
}

/** One command line, from its words to its exit code. */
export async function run(words: readonly string[], deps: Deps): Promise<ExitCode> {
  const [verb, ...rest] = words
  const out = createOutput({ ...deps, isJson: words.includes('--json') })
  try {
    if (verb === '--version') return out.text(`${VERSION}\n`) ?? 0
    if (verb === undefined || verb === 'help' || verb === '--help' || verb === '-h') {
      const [about] = verb === 'help' ? rest : []
      out.text(about === undefined ? helpForAll(commands, VERSION) : helpFor(commandNamed(about)))
      return verb === undefined ? 2 : 0
    }
    const command = commandNamed(verb)
    const { positionals, values } = parse(command, rest)
    if (values['help'] === true) return out.text(helpFor(command)) ?? 0
    return await command.run(contextFor(deps, out), positionals, values)
  } catch (cause) {
    if (deps.signal.aborted) return 130
    const problem = problemOf(cause)
    out.failure(problem)
    return problem.exit
  }
}
