import { spawnSync } from 'node:child_process'
import { makeDataDir, remove, startBerth } from './lib/berth.ts'
import { pinnedNode } from './lib/child.ts'
import { median, numberFlag, say } from './lib/numbers.ts'

function nodeStartMs(): number {
  const begin = performance.now()
  spawnSync(pinnedNode, ['-e', '0'])
  return performance.now() - begin
}

/** From the start of the process to the first answer of /health: with an empty data directory, and with the one it left. */
const rounds = numberFlag('rounds', 7)
const first: number[] = []
const second: number[] = []
const bare: number[] = []
for (let round = 0; round < rounds; round += 1) {
  const dataDir = makeDataDir()
  for (const times of [first, second]) {
    bare.push(nodeStartMs())
    const berth = await startBerth(dataDir)
    times.push(berth.startMs)
    await berth.stop()
  }
  remove(dataDir)
}
const nodeMs = median(bare)
say(`node -e 0: ${nodeMs.toFixed(0)} ms (median of ${bare.length})`)
say(`first start to /health: ${median(first).toFixed(0)} ms, ${(median(first) / nodeMs).toFixed(1)} times node -e 0`)
say(`second start to /health: ${median(second).toFixed(0)} ms, ${(median(second) / nodeMs).toFixed(1)} times node -e 0`)
