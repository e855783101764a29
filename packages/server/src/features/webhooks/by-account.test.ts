import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { runByAccount } from './by-account.ts'

it('an account that hangs or fails does not delay others, and each account runs one task at a time', async () => {
  const done: string[] = []
  const failed: number[] = []
  const hanging = Promise.withResolvers<void>()
  const others = [2, 3, 4, 5, 6]
  const tasks = [
    { accountId: 1, run: async () => await hanging.promise },
    { accountId: 1, run: async () => void done.push('1b') },
    ...others.map((accountId) => ({ accountId, run: async () => await Promise.reject(new Error('no')) })),
    ...others.map((accountId) => ({
      accountId,
      run: async () => {
        done.push(`${accountId}b`)
        if (accountId === 6) hanging.resolve()
      },
    })),
  ]
  const { signal } = new AbortController()
  await runByAccount(tasks, { atOnce: 4, slowMs: 60_000, signal, onFailure: (accountId) => failed.push(accountId) })
  expect(failed.toSorted((a, b) => a - b)).toEqual(others)
  expect(done.at(-1)).toBe('1b')
  expect(done).toHaveLength(6)
})

it('after a slow task, the rest of its account is left, and the other accounts go on', async () => {
  const done: string[] = []
  const task = (accountId: number, name: string, ms: number) => ({
    accountId,
    run: async () => {
      await sleep(ms)
      done.push(name)
    },
  })
  const tasks = [task(1, '1a', 60), task(1, '1b', 60), task(2, '2a', 0), task(2, '2b', 0)]
  const { signal } = new AbortController()
  await runByAccount(tasks, { atOnce: 1, slowMs: 50, signal, onFailure: () => undefined })
  expect(done).toEqual(['1a', '2a', '2b'])
})
