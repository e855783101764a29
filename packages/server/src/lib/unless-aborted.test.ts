import { expect, it } from 'vitest'
import { unlessAborted } from './unless-aborted.ts'

it('gives the result, or the reason why nobody waits for it any more', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1)
  expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1)
  await expect(unlessAborted(Promise.reject(new Error('its own')), signal)).rejects.toThrow('its own')
  const leaving = new AbortController()
  const never = unlessAborted(new Promise(() => undefined), leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(never).rejects.toThrow('gone')
  await expect(unlessAborted(Promise.resolve(1), leaving.signal)).rejects.toThrow('gone')
})
