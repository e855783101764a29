import { expect, it } from 'vitest'
import { createDueHosts } from './due-hosts.ts'

const MALLORY = 1
const ALICE = 2

/** Every host waits until it is released. */
function startWork(isDue: (host: string) => boolean = () => true, isOneAtATime = () => false) {
  const begun: string[] = []
  const gates = new Map<string, () => void>()
  const run = async (host: string) => {
    begun.push(host)
    await new Promise<void>((resolve) => gates.set(host, resolve))
  }
  const work = createDueHosts({ isDue, run, onFailure: () => undefined, everyMs: 60_000, atOnce: 4, isOneAtATime })
  const settle = async () => await new Promise((resolve) => setImmediate(resolve))
  const letGo = async (host: string) => {
    gates.get(host)?.()
    await settle()
  }
  const want = async (hosts: readonly string[], of: (host: string) => number) => {
    work.want(hosts, new Map(hosts.map((host) => [host, of(host)])))
    await settle()
  }
  return { begun, want, letGo, work, settle }
}

const many = Array.from({ length: 500 }, (_unused, number) => `m${number}.test`)
const ofTwo = (host: string) => (host.startsWith('a') ? ALICE : MALLORY)

it('owners take turns, however many hosts one of them has', async () => {
  const { begun, want, letGo } = startWork()
  await want([...many, 'a1.test', 'a2.test'], ofTwo)
  expect(begun).toEqual(['m0.test', 'a1.test', 'm1.test', 'a2.test'])
  await letGo('a1.test')
  expect(begun.at(-1)).toBe('m2.test')
})

it('a new owner gets a slot at once', async () => {
  const { begun, want, letGo } = startWork()
  await want(many, ofTwo)
  expect(begun).toEqual(['m0.test', 'm1.test', 'm2.test'])
  await letGo('m0.test')
  await want([...many, 'a1.test'], ofTwo)
  expect(begun.slice(3)).toEqual(['m3.test', 'a1.test'])
})

it('each of the hosts has its turn before one of them has a second', async () => {
  const { begun, want, letGo } = startWork()
  const hosts = many.slice(0, 20)
  await want(hosts, ofTwo)
  for (let number = 0; number < 40; number += 1) {
    await letGo(begun[number] ?? '')
    await want(hosts, ofTwo)
  }
  expect(begun.slice(0, 20).toSorted()).toEqual(hosts.toSorted())
  expect(begun.slice(20, 40)).toEqual(begun.slice(0, 20))
})

it('work started by hand takes no slot from the others', async () => {
  const due = new Set<string>()
  const { begun, want, work, settle } = startWork((host) => due.has(host))
  await want([...many, 'a1.test', 'a2.test'], ofTwo)
  for (const host of many.slice(0, 10)) {
    due.add(host)
    work.begin(host)
  }
  await settle()
  expect(begun).toHaveLength(10)
  for (const host of ['a1.test', 'a2.test']) due.add(host)
  work.look()
  await settle()
  expect(begun.slice(10)).toEqual(['a1.test', 'a2.test'])
})

it('while one at a time is tried, owners still take turns, and a request by hand waits for its turn', async () => {
  let isTrying = true
  const { begun, want, letGo, work, settle } = startWork(undefined, () => isTrying)
  await want([...many, 'a1.test'], ofTwo)
  expect(begun).toEqual(['m0.test'])
  work.begin('m7.test')
  await settle()
  expect(begun).toEqual(['m0.test'])
  await letGo('m0.test')
  expect(begun).toEqual(['m0.test', 'a1.test'])
  isTrying = false
  await letGo('a1.test')
  expect(begun).toHaveLength(5)
})
