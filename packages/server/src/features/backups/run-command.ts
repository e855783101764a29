import { runProcess } from '../../lib/child-process.ts'

const MOST_OUTPUT = 4 * 1024 * 1024

/** Runs a command of this program in a separate process. Returns its output, or fails with its error message. */
export function createRunCommand(deps: { program: readonly string[]; env: Readonly<Record<string, string>> }) {
  const [file = '', ...first] = deps.program
  return async function runCommand(args: readonly string[], signal: AbortSignal): Promise<{ isOk: boolean; output: string }> {
    const texts = { stdout: '', stderr: '' }
    const onOutput = (chunk: Buffer, stream: 'stdout' | 'stderr') => {
      texts[stream] = (texts[stream] + chunk.toString('utf8')).slice(0, MOST_OUTPUT)
    }
    const code = await runProcess(file, [...first, ...args], { env: deps.env, onOutput, signal, endWith: 'SIGKILL' })
    return { isOk: code === 0, output: (code === 0 ? texts.stdout : texts.stderr).trim() }
  }
}
