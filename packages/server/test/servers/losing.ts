import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'

export const LOST_WITHIN_MS = 2000
/** Long enough to see visitors wait after that, and too short for the engines to forget where its containers are: that takes 5 s. */
const LOOK_FOR_MS = 3500
/** A first packet that is lost in a full queue is sent again after a second; one to a lost server waits for three. */
const SLOW_MS = 2000
const COMES_EVERY_MS = 20

/** Somebody comes every few milliseconds, whether those before have their answer or not. Notes when those came who had to wait or got nothing. */
function noteTrouble(visit: () => Promise<string>) {
  const [slow, failed]: [number[], number[]] = [[], []]
  const visits: Promise<void>[] = []
  let isOver = false
  const one = async () => {
    const begun = performance.now()
    const answer = await visit()
    if (performance.now() - begun > SLOW_MS) slow.push(begun)
    if (!answer.startsWith('200')) failed.push(begun)
  }
  const coming = async () => {
    while (!isOver) {
      visits.push(one())
      await sleep(COMES_EVERY_MS)
    }
  }
  const all = coming()
  return async () => {
    isOver = true
    await all
    await Promise.all(visits)
    return { visits: visits.length, slow, failed }
  }
}

/**
 * Loses something while visitors come to each edge. Returns when the last visitor who had to wait came to each of them. What came while it
 * was being lost may be lost with it; nobody who came later.
 */
export async function lose(loss: () => Promise<void>, edges: readonly (() => Promise<string>)[]): Promise<number[]> {
  const stops = edges.map(noteTrouble)
  await loss()
  const lostAt = performance.now()
  await sleep(LOOK_FOR_MS)
  const found = await Promise.all(stops.map(async (stop) => await stop()))
  for (const { failed } of found) expect(failed.filter((begun) => begun > lostAt)).toEqual([])
  for (const { visits } of found) expect(visits).toBeGreaterThan(50)
  return found.map(({ slow }) => Math.round(Math.max(0, ...slow.map((begun) => begun - lostAt))))
}
