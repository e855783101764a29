import { accessSync, chmodSync, constants, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createApp } from './app/app.ts'
import type { Supervised } from './app/update-parts.ts'
import { type Config, readConfig } from './config.ts'
import { errorCode } from './lib/error-code.ts'
import { createLogger } from './lib/logger.ts'
import { StartRefused } from './lib/start-refused.ts'
import { DatabaseLost } from './store/database-lost.ts'
import { isStorageFailure } from './store/storage-failure.ts'
import { createSupervisorLink } from './supervisor/link.ts'

const STOP_WITHIN_MS = 25_000
const BANNER_WAIT_MS = 1500

function prepareDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.W_OK | constants.X_OK)
    chmodSync(path, 0o700)
  } catch (cause) {
    throw new StartRefused(`The data directory ${path} is not writable. Set BERTH_DATA_DIR to one that is.`, { cause })
  }
}

/** It only contains leftovers of the last run. A directory of this name that belongs to another user may be a trap. */
function prepareWorkDir(path: string): void {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true, mode: 0o711 })
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    throw new StartRefused(`The directory ${path} belongs to another user. Remove it.`)
  chmodSync(path, 0o711)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function wordsFor(cause: unknown, config: Config | undefined): string | undefined {
  if (cause instanceof StartRefused) return cause.message
  if (cause instanceof DatabaseLost) return 'The database of BERTH_DATABASE_URL does not respond. Start again when it does.'
  if (isStorageFailure(cause))
    return `The disk of the data directory ${config?.dataDir} is full or read-only. Free some space and start again.`
  const code = errorCode(cause)
  if (code === 'EADDRINUSE') return `Port ${config?.port} is already in use. Stop the program that uses it, or set PORT to another port.`
  if (code === 'EACCES') return `Port ${config?.port} cannot be used by this user. Set PORT to one above 1023.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `HOST="${config?.host}" is not an address of this machine.`
  return undefined
}

/** The server is listening; the banner waits a moment for the state of the engine and the edge. */
async function firstWord(app: { provisioning: () => { phase: string }; edge: () => { state: string } }): Promise<void> {
  const isLooking = () => app.provisioning().phase === 'checking' || app.edge().state === 'starting'
  for (let waited = 0; waited < BANNER_WAIT_MS && isLooking(); waited += 50) await new Promise((resolve) => setTimeout(resolve, 50))
}

function announce(
  config: Config,
  started: { address: string; setupToken: string | undefined },
  parts: { engine: string; edge: string },
): void {
  const shown = started.address.replace('0.0.0.0', 'localhost').replace('[::]', 'localhost')
  say('')
  say(`  Berth listens on   ${shown}`)
  if (started.setupToken !== undefined) say(`  Set it up here     ${shown}/setup#token=${started.setupToken}`)
  else if (config.owner) say(`  Owner              ${config.owner.email}`)
  say(`  Docker             ${parts.engine}`)
  say(`  Proxy              ${parts.edge}`)
  say(`  Data               ${config.dataDir}`)
  say('')
}

async function main(): Promise<void> {
  process.stdout.on('error', () => undefined) // standard output may be a file on a full disk
  let config: Config | undefined
  try {
    config = readConfig()
    if (config.updates.mode === 'rehearsal') endWithInput()
    const supervisor = createSupervisorLink()
    if (config.updates.begin === 'told') await supervisor?.waitForBegin()
    prepareDataDir(config.dataDir)
    const { log, flush } = createLogger({ level: config.logLevel, format: config.logFormat, useColours: config.useColours })
    const end = () => process.kill(process.pid, 'SIGTERM')
    const app = await createApp(config, log, supervisor && supervisedBy(supervisor, end))
    prepareWorkDir(config.workDir) // only once we hold the lock on the data directory
    process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled promise rejection'))
    stopOnSignal(app.stop, flush)
    supervisor?.onSupervisorGone(end)
    const started = await app.start()
    supervisor?.onUpdateOver(() => {
      app.updateOver().catch((err: unknown) => {
        log.error({ err }, 'work was not taken up after the update, so Berth is started again')
        end()
      })
    })
    supervisor?.tell({ type: 'listening', url: started.address })
    if (config.updates.mode === 'rehearsal') flushCompileCache() // the next start loads it faster, and this one ends by SIGKILL
    await firstWord(app)
    announce(config, started, { engine: app.provisioning().message, edge: app.edge().message })
  } catch (cause) {
    const words = wordsFor(cause, config)
    if (words === undefined) throw cause
    process.stderr.write(`${words}\n`)
    process.exit(1)
  }
}

function supervisedBy({ tell, loadNext }: NonNullable<ReturnType<typeof createSupervisorLink>>, leave: () => void): Supervised {
  return {
    leave,
    goBack: (reason) => tell({ type: 'go_back', reason }),
    loadNext,
    forgetNext: () => tell({ type: 'forget_loaded' }),
  }
}

/** The server that tries this version holds our input: without that server nobody would end us. */
function endWithInput(): void {
  process.stdin.once('end', () => process.exit(1)).resume()
}

/** The first signal shuts down cleanly. A terminal and npm may both deliver it, so a second one within a second is ignored. */
function stopOnSignal(stop: () => Promise<void>, flush: () => void): void {
  let firstAt: number | undefined
  // process.exit() waits for every thread, and one that waits for a dead disk or name server may never return.
  const end = (): void => {
    flush()
    process.kill(process.pid, 'SIGKILL')
  }
  const onSignal = () => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > 1000) end()
      return
    }
    firstAt = performance.now()
    setTimeout(end, STOP_WITHIN_MS).unref()
    stop().then(
      () => {
        flush()
        process.exit(0)
      },
      (cause: unknown) => {
        process.stderr.write(`${cause instanceof Error ? cause.stack : String(cause)}\n`)
        flush()
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

/** A command works on the data directory and ends; its code is loaded only then. */
async function runCommandLine(args: readonly string[]): Promise<void> {
  process.umask(0o077) // what it writes holds secrets
  const { realTerminal, runCommand } = await import('./maintenance/commands.ts')
  process.exitCode = await runCommand(args, realTerminal())
}

if (process.argv.length > 2) await runCommandLine(process.argv.slice(2))
else await main()
