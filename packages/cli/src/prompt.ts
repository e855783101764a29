import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { WrongUsage } from './command.ts'

type Input = NodeJS.ReadableStream & { isTTY?: boolean }

/** Questions to the person at the terminal. Without a terminal a secret is read from standard input, and nothing else is asked. */
export function createPrompt(deps: { stdin: Input; stderr: NodeJS.WritableStream; signal: AbortSignal }) {
  const { stdin, stderr, signal } = deps

  async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
    const reader = createInterface({ input: stdin, output, terminal: true })
    // Raw mode swallows the signal of Ctrl-C, so it is sent again.
    reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    try {
      return await reader.question(question, { signal })
    } finally {
      reader.close()
    }
  }

  async function line(question: string, flag: string): Promise<string> {
    if (!stdin.isTTY) throw new WrongUsage(`There is no terminal to ask at: give ${flag}.`)
    return (await ask(question, stderr)).trim()
  }

  async function secret(question: string): Promise<string> {
    if (!stdin.isTTY) return (await text(stdin)).split(/\r?\n/)[0] ?? ''
    stderr.write(question)
    const answer = await ask('', new Writable({ write: (_chunk, _encoding, done) => done() }))
    stderr.write('\n')
    return answer
  }

  /** What is destroyed is named once more, or `--yes` is given. */
  async function confirm(name: string, isConfirmed: boolean): Promise<void> {
    if (isConfirmed) return
    const answer = await line(`This cannot be undone. Type "${name}" to go on: `, '--yes')
    if (answer !== name) throw new WrongUsage('The name does not match; nothing was changed.')
  }

  return { line, secret, confirm }
}

export type Prompt = ReturnType<typeof createPrompt>
