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
  await runByAccount(tasks, { atOnce: 4, signal, onFailure: (accountId) => failed.push(accountId) })
  expect(failed.toSorted((a, b) => a - b)).toEqual(others)
  expect(done.at(-1)).toBe('1b')
  expect(done).toHaveLength(6)
})
