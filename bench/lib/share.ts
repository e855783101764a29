import { startBare } from './bare.ts'
import { remove, signIn, startBerth } from './berth.ts'
import { rate } from './load.ts'
import { median, numberFlag, say, verdict } from './numbers.ts'

type Figure = { name: string; dataDir: string; method: string; path: string; body: string; aim: number }

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
  const ask = async (url: string, length: number) => await rate({ ...load, url }, length)
  try {
    say(`${name}: ${answer.length} bytes an answer, ${rounds} rounds of ${seconds} s each`)
    await ask(berth.url, 2) // code that is not hot yet would be measured otherwise
    await ask(bare.url, 2)
    const shares: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const order = round % 2 === 0 ? [berth.url, bare.url] : [bare.url, berth.url]
      const rates = new Map<string, number>()
      for (const url of order) rates.set(url, await ask(url, seconds))
      const ours = rates.get(berth.url) ?? 0
      const theirs = rates.get(bare.url) ?? 0
      shares.push(ours / theirs)
      say(`  Berth ${ours.toFixed(0)}/s  bare ${theirs.toFixed(0)}/s  share ${(ours / theirs).toFixed(3)}`)
    }
    verdict(`${name}, share of a bare route`, median(shares), { atLeast: figure.aim })
  } finally {
    await bare.stop()
    await berth.stop()
    remove(dataDir)
  }
}
