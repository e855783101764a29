import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { EngineAddress } from '../../src/engine/api/address.ts'
import { poll } from '../../src/lib/retry.ts'
import { isAlive } from './end-process.ts'

/** In `/proc/net/unix`. */
const CONNECTED = '03'

/** Test runs of several checkouts share the engine that the first of them started. */
export async function joinRuns(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(path.join(directory, String(process.pid)), '')
}

/** Returns whether this run was the last one. One that was killed does not count. */
export async function leaveRuns(directory: string): Promise<boolean> {
  await rm(path.join(directory, String(process.pid)), { force: true })
  return !(await readdir(directory)).some((pid) => isAlive(Number(pid)))
}

/** The process of the engine that a test run started, if there is one. */
export async function engineOf(pidFile: string): Promise<number | undefined> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''))
  const command = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : ''
  return command.split('\0').includes(pidFile) ? pid : undefined
}

/** Whether a process is connected to the engine. A running Berth always is: it follows the events. */
export async function isEngineUsed(engine: EngineAddress): Promise<boolean> {
  if (!('socketPath' in engine)) return true
  const read = async () => await countConnections(engine.socketPath)
  return (await poll(read, { until: (count) => count === 0, everyMs: 200, limitMs: 3000 })) > 0 // our own last ones are closing
}

async function countConnections(socketPath: string): Promise<number> {
  const sockets = (await readFile('/proc/net/unix', 'utf8')).split('\n').map((line) => line.trim().split(/ +/))
  return sockets.filter(([, , , , , state, , at]) => state === CONNECTED && at === socketPath).length
}
