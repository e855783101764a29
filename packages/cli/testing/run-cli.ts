import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'

const root = resolve(import.meta.dirname, '../../..')
const SOURCES = [join(root, 'node_modules/node/bin/node'), '--disable-warning=ExperimentalWarning', join(root, 'packages/cli/src/main.ts')]

type Options = { input?: string; env?: Record<string, string>; interruptWhen?: string }

/** The CLI as a process of its own, with a home directory of its own; from its sources, or from a bundle. */
export function createCli(program: readonly string[] = SOURCES) {
  const home = mkdtempSync(join(tmpdir(), 'berth-cli-home-'))

  async function berth(words: readonly string[], options: Options = {}) {
    const [node = '', ...args] = program
    const child = spawn(node, [...args, ...words], {
      env: { PATH: process.env['PATH'], HOME: home, ...options.env },
    })
    child.stdin.end(options.input ?? '')
    let said = ''
    let isInterrupted = false
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (isInterrupted || options.interruptWhen === undefined || !said.includes(options.interruptWhen)) return
      isInterrupted = child.kill('SIGINT') // once: a second one ends the process the hard way
    })
    const [out] = await Promise.all([text(child.stdout), child.exitCode ?? once(child, 'close')])
    return { code: child.exitCode, out, err: said }
  }

  return { berth, home, settingsPath: join(home, '.config/berth/settings.json') }
}
