import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const root = path.resolve(import.meta.dirname, '../..')
export const pinnedNode = path.join(root, 'node_modules/node/bin/node')

/** Asks until the address answers; the time it took includes at most one pause of two milliseconds. */
export async function waitUntilAnswers(url: string, child: ChildProcess, withinMs = 60_000): Promise<void> {
  const end = performance.now() + withinMs
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode} before it answered`)
    try {
      await (await fetch(url)).arrayBuffer()
      return
    } catch {
      await sleep(2) // not listening yet
    }
  }
  throw new Error(`${url} did not answer within ${withinMs} ms`)
}

export async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

export function start(args: readonly string[], env: Record<string, string | undefined>): ChildProcess {
  const child = spawn(pinnedNode, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL')) // also when a figure fails
  return child
}

/** Lets every other process run before this one, with its threads and the processes that it starts from now on. */
export function yieldToOthers(pid: number): void {
  schedule(pid, '--idle')
}

/** Takes back what a process inherited from one that yields. Needs root. */
export function takeTurns(pid: number): void {
  schedule(pid, '--other')
}

function schedule(pid: number, policy: '--idle' | '--other'): void {
  const { status, stderr } = spawnSync('chrt', ['--all-tasks', policy, '--pid', '0', String(pid)], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`chrt ${policy}: ${stderr}`)
}

/** What a process and its children hold in memory, in megabytes (10^6 bytes), the way `ps` counts. */
export function residentMegabytes(pid: number | undefined): number {
  return family(pid).reduce((sum, each) => {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${each}/status`, 'utf8'))
    return sum + (Number(line?.[1]) * 1024) / 1e6
  }, 0)
}

/** CPU time that a process and its children have used so far, in seconds; steadier than a rate on a machine that does other work too. */
export function cpuSeconds(pid: number | undefined): number {
  return family(pid).reduce((sum, each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return sum + (Number(fields[11]) + Number(fields[12])) / 100 // user and system, in ticks of a hundredth
  }, 0)
}

function family(pid: number | undefined): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return [String(pid), ...children.filter((child) => child !== '')]
}
