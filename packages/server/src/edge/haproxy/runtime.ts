import { once } from 'node:events'
import { connect } from 'node:net'
import { createCertificateCommands } from './certificates.ts'
import { type MapChange, type MapEntry, mapCommands, parseMap, RuntimeError, RuntimeSilent } from './commands.ts'

/** How commands reach an HAProxy, wherever it runs. */
export type RuntimeSockets = {
  readonly ask: (command: string) => Promise<string>
  /** The master process, which also knows the previous workers. */
  readonly askMaster?: (command: string) => Promise<string>
  /** True also for an HAProxy that is too busy to answer. */
  readonly isListenedTo: () => Promise<boolean>
}

/** The client of the runtime socket of the HAProxy on this machine: one short connection per command, each with a timeout. */
export function createHaproxyRuntime(deps: { socketPath: string; masterSocketPath?: string; timeoutMs?: number }) {
  const { socketPath, masterSocketPath, timeoutMs = 5_000 } = deps
  return createRuntimeOver({
    ask: async (command) => await askAt(socketPath, command, timeoutMs),
    ...(masterSocketPath !== undefined && { askMaster: async (command) => await askAt(masterSocketPath, command, timeoutMs) }),
    isListenedTo: async () => await isListenedTo(socketPath),
  })
}

/** The runtime commands of an HAProxy that is reached somehow. */
export function createRuntimeOver({ ask, askMaster, isListenedTo }: RuntimeSockets) {
  /** For commands with no output on success. */
  async function order(command: string): Promise<void> {
    const answer = (await ask(command)).trim()
    if (answer !== '') throw new RuntimeError(`HAProxy refused "${command.slice(0, 60)}": ${answer.slice(0, 300)}`)
  }

  async function readMap(path: string): Promise<MapEntry[]> {
    const text = await ask(`show map ${path}`)
    if (text.startsWith('Unknown map')) throw new RuntimeError(`HAProxy has no map ${path}`)
    return parseMap(text)
  }

  /** The changes in the order given; each single entry changes atomically. */
  async function changeMap(path: string, changes: readonly MapChange[]): Promise<void> {
    for (const command of mapCommands(path, changes)) await order(command)
  }

  /** Commands that say what they changed, if anything, or that there was no need to. */
  async function orders(commands: readonly string[]): Promise<void> {
    for (let start = 0; start < commands.length; start += 50) {
      const answer = await ask(commands.slice(start, start + 50).join(';'))
      if (/unknown|no such|invalid|require|can't find/i.test(answer))
        throw new RuntimeError(`HAProxy refused: ${answer.trim().slice(0, 300)}`)
    }
  }

  async function getMap(path: string, key: string): Promise<string | undefined> {
    return /found=yes.* value="([^"]*)"/.exec(await ask(`get map ${path} ${key}`))?.[1]
  }

  /** `description` identifies the running configuration. */
  async function info(): Promise<Map<string, string>> {
    const fields = (await ask('show info')).split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
    return new Map(fields)
  }

  /** Of the current worker, and of previous ones that are finishing their requests. */
  async function tableCount(table: string, key: string): Promise<number> {
    const command = `show table ${table} key ${key}`
    const answers = [await ask(command)]
    if (askMaster !== undefined) {
      const old = oldWorkers(await askMaster('show proc'))
      for (const pid of old) answers.push(await askMaster(`@!${pid} ${command}`))
    }
    return answers.reduce((sum, answer) => sum + Number(/conn_cur=(\d+)/.exec(answer)?.[1] ?? 0), 0)
  }

  return { info, isListenedTo, readMap, changeMap, orders, getMap, tableCount, ...createCertificateCommands(ask) }
}

export type HaproxyRuntime = ReturnType<typeof createRuntimeOver>

async function isListenedTo(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath)
  try {
    await once(socket, 'connect')
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EAGAIN' // its connection queue is full
  } finally {
    socket.destroy()
  }
}

/** A command is one line, and so is each line of a payload: no input may start another command. */
function askAt(path: string, command: string, timeoutMs: number): Promise<string> {
  const [line = ''] = command.split(' <<\n', 1)
  if (/[\n\r]/.test(line)) return Promise.reject(new Error(`not one command: ${JSON.stringify(command.slice(0, 200))}`))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(path)
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    socket.on('connect', () => socket.end(`${command}\n`)) // the master waits for more commands until our side is closed
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (cause) => reject(new RuntimeSilent(`HAProxy's socket: ${cause.message}`, { cause })))
    socket.on('close', (hadError) => {
      clearTimeout(timer)
      if (!hadError) resolve(Buffer.concat(chunks).toString('utf8'))
    })
  })
}

/** The process ids of previous workers, from the output of `show proc`. */
function oldWorkers(processes: string): string[] {
  const [, part = ''] = processes.split('# old workers\n')
  const [old = ''] = part.split('\n#', 1)
  return [...old.matchAll(/^(\d+)\s+worker/gm)].flatMap(([, pid]) => (pid === undefined ? [] : [pid]))
}
