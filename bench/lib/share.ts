import { startBare } from './bare.ts'
import { remove, signIn, startBerth } from './berth.ts'
import { cpuSeconds } from './child.ts'
import { rate } from './load.ts'
import { median, numberFlag, say, verdict } from './numbers.ts'

type Server = { url: string; pid: number | undefined }
type Round = { perSecond: number; microseconds: number }
type Figure = { name: string; dataDir: string; method: string; path: string; body: string; aim: number }

function wordsFor({ perSecond, microseconds }: Round): string {
  return `${perSecond.toFixed(0)}/s (${microseconds.toFixed(1)} µs)`
}

/** Requests per second of one operation as a share of a bare route with the same answer, in alternating rounds. */
export async function printShare(figure: Figure): Promise<void> {
  const { name, dataDir, method, path, body } = figure
  const rounds = numberFlag('rounds', 9)
  const seconds = numberFlag('seconds', 2)
  const berth = await startBerth(dataDir)
  const headers = { cookie: await signIn(berth.url), ...(body && { 'content-type': 'application/json' }) }
  const answer = await (await fetch(berth.url + path, { method, headers, ...(body && { body }) })).text()
  const bare = await startBare(dataDir, { method, path, answer })
  const load = { method, path, headers, body, connections: 16 }
  const ask = async (server: Server, length: number): Promise<Round> => {
    const before = cpuSeconds(server.pid)
    const perSecond = await rate({ ...load, url: server.url }, length)
    return { perSecond, microseconds: ((cpuSeconds(server.pid) - before) * 1e6) / (perSecond * length) }
  }
  try {
    say(`${name}: ${answer.length} bytes an answer, ${rounds} rounds of ${seconds} s each`)
    await ask(berth, 2) // warm-up, so that cold code is not measured
    await ask(bare, 2)
    const shares: number[] = []
    const costs: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const isOursFirst = round % 2 === 0
      const earlier = await ask(isOursFirst ? berth : bare, seconds)
      const later = await ask(isOursFirst ? bare : berth, seconds)
      const [ours, theirs] = isOursFirst ? [earlier, later] : [later, earlier]
      shares.push(ours.perSecond / theirs.perSecond)
      costs.push(theirs.microseconds / ours.microseconds)
      say(`  Berth ${wordsFor(ours)}  bare ${wordsFor(theirs)}  share ${(ours.perSecond / theirs.perSecond).toFixed(3)}`)
    }
    say(`${name}, bare route's CPU time as a share of ours: ${median(costs).toFixed(2)}`)
    verdict(`${name}, share of a bare route's requests per second`, median(shares), { atLeast: figure.aim })
  } finally {
    await bare.stop()
    await berth.stop()
    remove(dataDir)
  }
}
