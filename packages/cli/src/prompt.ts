import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { WrongUsage } from './command.ts'

type Input = NodeJS.ReadableStream & { isTTY?: boolean }

/**
 * Prompts. Without a terminal, secrets are read from standard input, one per line, and nothing else is asked.
 */
export function createPrompt(deps: { stdin: Input; stderr: NodeJS.WritableStream; signal: AbortSignal }) {
  const { stdin, stderr, signal } = deps
  let piped: string[] | undefined

  async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
    const reader = createInterface({ input: stdin, output, terminal: true })
    // Raw mode swallows Ctrl-C, so the signal is sent again.
    reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    try {
      return await reader.question(question, { signal })
    } finally {
      reader.close()
    }
  }

  async function line(question: string, flag: string): Promise<string> {
    if (!stdin.isTTY) throw new WrongUsage(`Cannot ask for confirmation without a terminal. Use ${flag}.`)
    return (await ask(question, stderr)).trim()
  }

  async function secret(question: string): Promise<string> {
    if (!stdin.isTTY) {
      piped ??= (await text(stdin)).split(/\r?\n/)
      return piped.shift() ?? ''
    }
    stderr.write(question)
    const answer = await ask('', new Writable({ write: (_chunk, _encoding, done) => done() }))
    stderr.write('\n')
    return answer
  }

  /** Asks the user to type the name before something is destroyed, unless `--yes` is given. */
  async function confirm(name: string, isConfirmed: boolean): Promise<void> {
    if (isConfirmed) return
    const answer = await line(`This cannot be undone. Type "${name}" to continue: `, '--yes')
    if (answer !== name) throw new WrongUsage('The name does not match. Nothing was changed.')
  }

  return { line, secret, confirm }
}

export type Prompt = ReturnType<typeof createPrompt>
