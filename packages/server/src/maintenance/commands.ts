import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { errorCode } from '../lib/error-code.ts'
import { StartRefused } from '../lib/start-refused.ts'
import { CopyFailed } from '../store/transfer/copy-tables.ts'
import { backupCommands } from './backup/commands.ts'
import { DamagedBackup } from './backup/damaged-backup.ts'
import { clearMachineCommand } from './clear-machine/command.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { copyDataCommand } from './copy-data.ts'
import { doctorCommand } from './doctor/command.ts'
import { endUpdateCommand } from './end-update.ts'
import { migrateDatabaseCommand } from './migrate-database/command.ts'
import { putBackDataCommand } from './put-back-data.ts'
import { rotateKeysCommand } from './rotate-keys/command.ts'
import { userCommands } from './users.ts'

/** LIST of the commands that run on the machine itself, without the API. */
const COMMANDS: Readonly<Record<string, Command>> = {
  ...backupCommands,
  ...userCommands,
  'rotate-keys': rotateKeysCommand,
  'migrate-database': migrateDatabaseCommand,
  'copy-data': copyDataCommand,
  'put-back-data': putBackDataCommand,
  'clear-machine': clearMachineCommand,
  'end-update': endUpdateCommand,
  doctor: doctorCommand,
}

/** Runs `berth-server <command> …` and returns the exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = '', ...rest] = args
  const command = COMMANDS[name]
  if (!command || rest.includes('--help')) {
    terminal.print(command ? usageOf(name, command) : help())
    return command || name === 'help' || name === '--help' ? 0 : 2
  }
  try {
    const { values, positionals } = parseArgs({ args: rest, options: command.options ?? {}, allowPositionals: true })
    if (positionals.length < command.takes.length - (command.isLastOptional ? 1 : 0) || positionals.length > command.takes.length)
      throw new UsageError(usageOf(name, command))
    return await command.run({ positionals, flags: values }, terminal)
  } catch (cause) {
    const words = wordsFor(cause)
    if (words === undefined) throw cause
    terminal.complain(words)
    return cause instanceof UsageError ? 2 : 1
  }
}

/** The updater shows them as the reason of a failed update, too. */
export function wordsFor(cause: unknown): string | undefined {
  if (cause instanceof DamagedBackup) return `This backup cannot be used: ${cause.message}.`
  if (cause instanceof CopyFailed) return `The data could not be copied: ${cause.message}.`
  if (errorCode(cause) === 'SQLITE_FULL') return 'The disk is full. Free some space, and try again.'
  if (cause instanceof StartRefused || cause instanceof UsageError) return cause.message
  if (cause instanceof TypeError && 'code' in cause && String(cause.code).startsWith('ERR_PARSE_ARGS')) return cause.message
  if (cause instanceof Error && 'syscall' in cause) return cause.message // such as: ENOENT: no such file or directory, open '…'
  return undefined
}

function usageOf(name: string, { takes, isLastOptional = false, options = {}, about }: Command): string {
  const shown = takes.map((word, index) => (isLastOptional && index === takes.length - 1 ? `[${word}]` : `<${word}>`))
  const flags = Object.entries(options).map(([flag, { type }]) => `[--${flag}${type === 'string' ? ` <${flag}>` : ''}]`)
  return `berth-server ${[name, ...shown, ...flags].join(' ')}\n    ${about}`
}

function help(): string {
  const lines = Object.entries(COMMANDS).map(([name, command]) => usageOf(name, command))
  return [
    'Without a command the server starts. Commands work on the data directory (BERTH_DATA_DIR, default ./data):',
    '',
    ...lines,
    '',
  ].join('\n')
}

export function realTerminal(): Terminal {
  process.stdout.on('error', () => undefined) // whoever reads may have read enough, as in `berth-server doctor | head -n 1`
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    async askSecret(question) {
      process.stderr.write(question)
      const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
      const lines = createInterface({ input: process.stdin, output: silent, terminal: process.stdin.isTTY })
      try {
        return await lines.question('')
      } finally {
        lines.close()
        process.stderr.write('\n')
      }
    },
  }
}
