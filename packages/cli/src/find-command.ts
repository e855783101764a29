import { nameOf } from './arguments.ts'
import { type Command, WrongUsage } from './command.ts'

type Found = { command: Command; rest: readonly string[] }

/** The commands whose names begin with these words. */
export function commandsUnder(commands: readonly Command[], words: string): Command[] {
  return commands.filter(({ usage }) => `${nameOf(usage)} `.startsWith(`${words} `))
}

/** The command with the longest name that the command line begins with. */
export function findCommand(commands: readonly Command[], words: readonly string[]): Found {
  const [verb = ''] = words
  for (let length = Math.min(3, words.length); length > 0; length -= 1) {
    const name = words.slice(0, length).join(' ')
    const command = commands.find(({ usage }) => nameOf(usage) === name)
    if (command) return { command, rest: words.slice(length) }
  }
  const near = commandsUnder(commands, verb)
  if (near.length === 0) throw new WrongUsage(`There is no command "${verb}".`)
  throw new WrongUsage(`Use one of: ${near.map(({ usage }) => nameOf(usage)).join(', ')}.`)
}
