import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { runByPerson } from './by-person.ts'

it('a person whose host hangs or fails does not delay others, and has one task at a time, also with several accounts', async () => {
  const done: string[] = []
  const failed: number[] = []
  const hanging = Promise.withResolvers<void>()
  const others = [2, 3, 4, 5, 6]
  const tasks = [
    { person: 1, accountId: 11, run: async () => await hanging.promise },
    { person: 1, accountId: 12, run: async () => void done.push('1b') },
    ...others.map((accountId) => ({ person: accountId, accountId, run: async () => await Promise.reject(new Error('no')) })),
    ...others.map((accountId) => ({
      person: accountId,
      accountId,
      run: async () => {
        done.push(`${accountId}b`)
        if (accountId === 6) hanging.resolve()
      },
    })),
  ]
  const { signal } = new AbortController()
  await runByPerson(tasks, { atOnce: 4, slowMs: 60_000, signal, onFailure: (accountId) => failed.push(accountId) })
  expect(failed.toSorted((a, b) => a - b)).toEqual(others)
  expect(done.at(-1)).toBe('1b')
  expect(done).toHaveLength(6)
})

it('after a slow task, the rest of its person is left, and the others go on', async () => {
  const done: string[] = []
  const task = (person: number, name: string, ms: number) => ({
    person,
    accountId: 1,
    run: async () => {
      await sleep(ms)
      done.push(name)
    },
  })
  const tasks = [task(1, '1a', 60), task(1, '1b', 60), task(2, '2a', 0), task(2, '2b', 0)]
  const { signal } = new AbortController()
  await runByPerson(tasks, { atOnce: 1, slowMs: 50, signal, onFailure: () => undefined })
  expect(done).toEqual(['1a', '2a', '2b'])
})
