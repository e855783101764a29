import { setTimeout as sleep } from 'node:timers/promises'
import type { NodesLab } from '../../testing/labs/nodes-lab.ts'

const STAYS_MS = { least: 3000, most: 15_000 }
const OPENS_WITHIN_MS = 5000

/** A browser that moves from node to node, and goes on after the last event that it has heard. */
export async function followEvents(lab: NodesLab, { cookie, reachable }: { cookie: string; reachable: () => readonly string[] }) {
  const seqs: number[] = []
  const stopping = new AbortController()
  let after = await newestEvent(lab)

  async function stay(name: string): Promise<void> {
    const opening = lab.node(name).connect('events', { cookie, input: { after } })
    const opened = await Promise.race([opening, sleep(OPENS_WITHIN_MS, undefined)])
    if (opened === undefined) {
      opening.then(async (late) => await late[Symbol.asyncDispose]()).catch(() => undefined)
      return
    }
    const staysMs = STAYS_MS.least + Math.random() * (STAYS_MS.most - STAYS_MS.least)
    await Promise.race([opened.closed, sleep(staysMs, undefined, { signal: stopping.signal }).catch(() => undefined)])
    const heard = opened.frames.filter(({ type }) => type !== 'ready').flatMap(({ seq }) => seq ?? [])
    await opened[Symbol.asyncDispose]()
    seqs.push(...heard)
    after = heard.at(-1) ?? after
  }

  async function move(): Promise<void> {
    while (!stopping.signal.aborted) {
      const names = reachable()
      const name = names[Math.floor(Math.random() * names.length)]
      if (name !== undefined) await stay(name).catch(() => undefined)
      await sleep(50)
    }
  }

  const first = after
  const moving = move()
  return {
    first,
    /** What it has heard in all, up to an event that all readers wait for. */
    async endAt(last: number): Promise<number[]> {
      while (after < last) await sleep(200)
      stopping.abort()
      await moving
      return seqs
    },
  }
}

export async function newestEvent({ rows }: Pick<NodesLab, 'rows'>): Promise<number> {
  const [row] = await rows<{ seq: number | string | null }>('select max(seq) as seq from event')
  return Number(row?.seq ?? 0)
}
