import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { pinnedNode } from './child.ts'
import type { Load, LoadResult } from './load-client.ts'
import type { Pace } from './paced-client.ts'

const run = promisify(execFile)
const hasWrk = spawnSync('wrk', ['--version']).error === undefined

/** Requests of our own generator; times are exact, and the rate is what one Node.js process can ask for. */
export async function measure(load: Load, seconds: number): Promise<LoadResult> {
  const { stdout } = await run(pinnedNode, [path.join(import.meta.dirname, 'load-client.ts'), JSON.stringify(load), String(seconds)])
  return JSON.parse(stdout) as LoadResult // printed by load-client.ts
}

/** How long each request took that was sent at a steady pace. */
export async function timesAtPace(pace: Pace): Promise<number[]> {
  const options = { maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await run(pinnedNode, [path.join(import.meta.dirname, 'paced-client.ts'), JSON.stringify(pace)], options)
  return JSON.parse(stdout) as number[] // printed by paced-client.ts
}

async function wrkRate(load: Load, seconds: number): Promise<number> {
  const script = path.join(tmpdir(), `berth-bench-${process.pid}.lua`)
  writeFileSync(script, `wrk.method = ${JSON.stringify(load.method)}\nwrk.body = ${load.body === '' ? 'nil' : JSON.stringify(load.body)}\n`)
  const headers = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['-t', '1', '-c', String(load.connections), '-d', `${seconds}s`, '-s', script, ...headers, '--', load.url + load.path]
  const { stdout } = await run('wrk', args)
  if (stdout.includes('Non-2xx')) throw new Error(stdout)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}

/** Requests per second; wrk asks where it is installed, because it leaves more of the machine to the server. */
export async function rate(load: Load, seconds: number): Promise<number> {
  return hasWrk ? await wrkRate(load, seconds) : (await measure(load, seconds)).requestsPerSecond
}
