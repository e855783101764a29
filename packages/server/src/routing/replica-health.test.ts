import { expect, it } from 'vitest'
import { createReplicaHealth } from './replica-health.ts'
import type { Candidate } from './routed-release.ts'

const candidate = (id: string): Candidate => ({ id, target: { ip: id, port: 80 }, isSurplus: false })
const [one, two] = [candidate('10.0.0.1'), candidate('10.0.0.2')]

function open() {
  const silent = new Set<string>()
  const asked: string[] = []
  const health = createReplicaHealth({
    probe: async ({ ip }, path) => {
      asked.push(`${ip}${path}`)
      return !silent.has(ip)
    },
  })
  return { ...health, silent, asked, watch: (...candidates: Candidate[]) => health.watch([{ candidates, path: '/ready' }]) }
}

it('the only container is never asked, and those that are there from the beginning get visitors at once', async () => {
  const { watch, look, isReady, asked } = open()
  watch(one)
  expect([await look(), asked, isReady(one)]).toEqual([false, [], true])
  const both = open()
  both.watch(one, two)
  expect([both.isReady(one), both.isReady(two), await both.look()]).toEqual([true, true, false])
})

it('one that joins others must answer first, at its health check path too', async () => {
  const { watch, look, isReady, asked, silent } = open()
  watch(one)
  silent.add(two.id)
  watch(one, two)
  expect([isReady(one), isReady(two)]).toEqual([true, false])
  expect(await look()).toBe(false)
  silent.clear()
  expect(await look()).toBe(true)
  expect(isReady(two)).toBe(true)
  expect(asked).toEqual(['10.0.0.1', '10.0.0.2/ready', '10.0.0.1', '10.0.0.2/ready'])
})

it('one that stops answering gets no visitors until it answers again, and one that was restarted is asked first', async () => {
  const { watch, look, isReady, silent } = open()
  watch(one, two)
  silent.add(two.id)
  expect([await look(), isReady(one), isReady(two)]).toEqual([true, true, false])
  silent.clear()
  expect([await look(), isReady(two)]).toEqual([true, true])
  watch(one) // it is down
  watch(one, two)
  expect(isReady(two)).toBe(false)
})

it('one that has just ended gets no visitors until it answers again, though it is still listed as running', async () => {
  const { watch, look, isReady, noteEnded } = open()
  watch(one, two)
  noteEnded(two.id)
  watch(one, two)
  expect([isReady(one), isReady(two)]).toEqual([true, false])
  expect([await look(), isReady(two)]).toEqual([true, true])
  watch(one)
  noteEnded(one.id)
  expect(isReady(one)).toBe(true) // nobody would ask it
})
