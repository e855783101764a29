import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from '../src/run.ts'
import { bundledCli } from './bundled-cli.ts'

type Options = { input?: string; env?: Record<string, string>; interruptWhen?: string }
type Ended = { code: number | null; out: string; err: string }

function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'berth-cli-home-'))
  return { home, settingsPath: join(home, '.config/berth/settings.json') }
}

/** The CLI as it is installed, each time as a separate process with its own home directory. */
export function createInstalledCli() {
  const { node, main } = bundledCli()
  const { home, settingsPath } = newHome()

  async function berth(words: readonly string[], options: Options = {}): Promise<Ended> {
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

  return { berth, home, settingsPath }
}

function collected() {
  let said = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      said += chunk.toString()
      done()
    },
  })
  return { stream, said: () => said }
}

/** The CLI in this process, which takes a fraction of the time that a process takes to start. */
export function createCli() {
  const { home, settingsPath } = newHome()

  async function berth(words: readonly string[], options: Omit<Options, 'interruptWhen'> = {}): Promise<Ended> {
    process.chdir(home) // files without a directory are here
    const [out, err] = [collected(), collected()]
    const code = await run(words, {
      stdin: Readable.from([Buffer.from(options.input ?? '')]),
      stdout: out.stream,
      stderr: err.stream,
      env: { HOME: home, ...options.env },
      signal: new AbortController().signal,
    })
    return { code, out: out.said(), err: err.said() }
  }

  return { berth, home, settingsPath }
}
