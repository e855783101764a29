// Requests at a steady pace, whatever the answers take, from a process of its own. Prints how long each took, as one line of JSON.
// A loop that asks again with each answer would ask less while the server is busy, and so would see least of what is measured.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeTurns } from './child.ts'

export type Pace = { url: string; headers: Record<string, string>; paths: readonly string[]; everyMs: number; seconds: number }

const agent = new http.Agent({ keepAlive: true, maxSockets: 32 })

async function timeOf(address: string, headers: Record<string, string>): Promise<number> {
  const begin = performance.now()
  await new Promise<void>((resolve, reject) => {
    const request = http.get(address, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${address} answered ${answer.statusCode}`))
      answer.resume().once('end', resolve)
    })
    request.once('error', reject)
  })
  return performance.now() - begin
}

async function run({ url, headers, paths, everyMs, seconds }: Pace): Promise<number[]> {
  const count = Math.floor((seconds * 1000) / everyMs)
  const begin = performance.now()
  const times = Array.from({ length: count }, async (_, n) => {
    await sleep(begin + n * everyMs - performance.now())
    return await timeOf(url + (paths[n % paths.length] ?? ''), headers)
  })
  return await Promise.all(times)
}

if (import.meta.main) {
  takeTurns(process.pid) // those who send deliveries yield to it
  process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '') as Pace))) // written by load.ts
  agent.destroy()
}
