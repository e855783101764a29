import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createKnownAddresses } from './known-addresses.ts'
import { createLoginTurns } from './login-turns.ts'
import { createPasswordTries } from './password-tries.ts'
import { createSharedSlowDown } from './shared-slow-down.ts'

const login = { email: 'a@example.test', address: '192.0.2.7' }

/** Two nodes with a clock that only moves while an attempt waits. */
async function openTwo() {
  const test = await openTestDatabase()
  const clock = { ms: 1_000_000_000_000 }
  const open = () => {
    const slowDown = createSharedSlowDown({ db: test.db, secret: 'same', now: () => new Date(clock.ms) })
    const turns = createLoginTurns({
      waitMs: () => 0,
      takeTurn: slowDown.takeTurn,
      sleep: async (ms) => void (clock.ms += ms),
    })
    return createPasswordTries({ slowDown, turns, familiar: createKnownAddresses([]) })
  }
  return { ...test, clock, nodes: [open(), open()] as const }
}

const wrong = async () => await Promise.resolve(undefined)
const right = async () => await Promise.resolve('in')

it('wrong passwords at one node delay attempts at the other, and a right one ends that for both', async () => {
  await using test = await openTwo()
  const [a, b] = test.nodes
  const begunAt = test.clock.ms
  for (let n = 0; n < 5; n += 1) await a(login, wrong)
  expect(test.clock.ms - begunAt).toBe(0)
  await b(login, wrong)
  expect(test.clock.ms - begunAt).toBe(100)
  expect(await a(login, right)).toBe('in')
  expect(test.clock.ms - begunAt).toBe(300)
  await b(login, wrong)
  expect(test.clock.ms - begunAt).toBe(300)
})

it('attempts at all nodes at once wait as long as one after the other', async () => {
  await using test = await openTwo()
  const begunAt = test.clock.ms
  await Promise.all(
    Array.from({ length: 8 }, async (_unused, n) => await test.nodes[n % 2]?.({ ...login, address: `192.0.2.${n}` }, wrong)),
  )
  expect(test.clock.ms - begunAt).toBeGreaterThanOrEqual(100 + 200 + 400)
})

it('an attempt that was cut off counts as a wrong password', async () => {
  await using test = await openTwo()
  const [a, b] = test.nodes
  const cutOff = async () => await Promise.reject(new Error('the process ended'))
  for (let n = 0; n < 5; n += 1) await expect(a(login, cutOff)).rejects.toThrow('the process ended')
  const begunAt = test.clock.ms
  await b(login, wrong)
  expect(test.clock.ms - begunAt).toBe(100)
})
