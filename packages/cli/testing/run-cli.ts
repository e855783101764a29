import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { bundledCli } from './bundled-cli.ts'

type Options = { input?: string; env?: Record<string, string>; interruptWhen?: string }

/** Runs the CLI as it is installed, each time as a separate process with its own home directory. */
export function createCli() {
  const { node, main } = bundledCli()
  const home = mkdtempSync(join(tmpdir(), 'berth-cli-home-'))

  async function berth(words: readonly string[], options: Options = {}) {
    const child = spawn(node, [main, ...words], {
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, ...options.env },
    })
    child.stdin.end(options.input ?? '')
    let said = ''
    let seen = ''
    let isInterrupted = false
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const interrupt = (chunk: Buffer): void => {
      seen += chunk.toString()
      if (isInterrupted || options.interruptWhen === undefined || !seen.includes(options.interruptWhen)) return
      isInterrupted = child.kill('SIGINT') // once: a second one kills the process
    }
    child.stderr.on('data', interrupt)
    child.stdout.on('data', interrupt)
    const [out] = await Promise.all([text(child.stdout), child.exitCode ?? once(child, 'close')])
    return { code: child.exitCode, out, err: said }
  }

  return { berth, home, settingsPath: join(home, '.config/berth/settings.json') }
}
