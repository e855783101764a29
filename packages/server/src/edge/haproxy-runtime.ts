import { connect } from 'node:net'
import { createCertificateCommands } from './haproxy-certificates.ts'
import { type MapChange, type MapEntry, mapCommands, parseMap } from './haproxy-commands.ts'
import { RuntimeError } from './runtime-error.ts'

/** The client of HAProxy's runtime socket: one short connection a command, each bounded in time. */
export function createHaproxyRuntime(deps: { socketPath: string; timeoutMs?: number }) {
  const { socketPath, timeoutMs = 5_000 } = deps

  function ask(command: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      const socket = connect(socketPath)
      const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
      socket.on('connect', () => socket.write(`${command}\n`))
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('error', (cause) => reject(new RuntimeError(`HAProxy's socket: ${cause.message}`, { cause })))
      socket.on('close', (hadError) => {
        clearTimeout(timer)
        if (!hadError) resolve(Buffer.concat(chunks).toString('utf8'))
      })
    })
  }

  /** For commands that say nothing when they succeed. */
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

  async function getMap(path: string, key: string): Promise<string | undefined> {
    return /found=yes.* value="([^"]*)"/.exec(await ask(`get map ${path} ${key}`))?.[1]
  }

  /** `description` names the configuration that runs. */
  async function info(): Promise<Map<string, string>> {
    const fields = (await ask('show info')).split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
    return new Map(fields)
  }

  async function tableCount(table: string, key: string): Promise<number> {
    return Number(/conn_cur=(\d+)/.exec(await ask(`show table ${table} key ${key}`))?.[1] ?? 0)
  }

  return { info, readMap, changeMap, getMap, tableCount, ...createCertificateCommands(ask) }
}

export type HaproxyRuntime = ReturnType<typeof createHaproxyRuntime>
