// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { loadAgain } from './load-again.ts'

afterEach(() => {
  sessionStorage.clear()
  vi.restoreAllMocks()
})

it('asks again until the chunk arrives', async () => {
  let asked = 0
  const load = async (): Promise<string> => {
    asked += 1
    if (asked < 3) throw new TypeError('Failed to fetch dynamically imported module')
    return 'page'
  }
  expect(await loadAgain(load, 1)).toBe('page')
  expect(asked).toBe(3)
})

it('reloads the page once if the chunk no longer exists, and then shows an error', async () => {
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => undefined)
  const gone = () => Promise.reject(new TypeError('gone'))
  void loadAgain(gone, 1)
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1))
  await expect(loadAgain(gone, 1)).rejects.toThrow('gone')
  expect(reload).toHaveBeenCalledTimes(1)
})
