import { expect, it } from 'vitest'
import type { ListeningPort } from '../../../../lib/proc-net.ts'
import { createPortWatch } from './port-watch.ts'

function watch() {
  const seen = { at: 0, listening: null as ListeningPort[] | null, said: [] as string[] }
  const shouldGiveUp = createPortWatch({
    port: 8080,
    look: async () => seen.listening,
    say: (line) => seen.said.push(line),
    sayAfterMs: 5000,
    giveUpAfterMs: 15_000,
    now: () => seen.at,
  })
  const at = async (seconds: number, listening: ListeningPort[] | null) => {
    seen.at = seconds * 1000
    seen.listening = listening
    return await shouldGiveUp()
  }
  return { at, said: seen.said }
}
const open = (port: number) => ({ port, loopbackOnly: false })
const local = (port: number) => ({ port, loopbackOnly: true })

it('reports after five seconds what the container listens on, and gives up after fifteen', async () => {
  const { at, said } = watch()
  expect(await at(4, [open(3000)])).toBe(false)
  expect(said).toEqual([])
  expect(await at(5, [open(3000), local(40_000)])).toBe(false)
  expect(await at(14, [open(3000)])).toBe(false)
  expect(said).toEqual(['Nothing listens on port 8080 yet. The container listens on port 3000'])
  expect(await at(15, [open(3000)])).toBe(true)
})

it('gives more time to a container that opens another port, listens on nothing yet, or cannot be inspected', async () => {
  const { at, said } = watch()
  expect(await at(5, [open(9000)])).toBe(false)
  expect(await at(14, [open(9000), open(9001)])).toBe(false)
  expect(await at(16, [open(9000), open(9001)])).toBe(false)
  expect(await at(40, [local(9229)])).toBe(false)
  expect(await at(50, [])).toBe(false)
  expect(await at(59, null)).toBe(false)
  expect(said).toHaveLength(2)
})

it('recognises a port that only its own container can reach', async () => {
  const { at, said } = watch()
  await at(6, [local(8080)])
  expect(said).toEqual(['Nothing listens on port 8080 yet. The container listens on 127.0.0.1:8080 only'])
  expect(await at(16, [local(8080)])).toBe(true)
})
