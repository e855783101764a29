import { afterEach, expect, it, vi } from 'vitest'
import { createLogPages } from './log-pages.ts'

afterEach(() => vi.unstubAllGlobals())

const PAGE = { lines: [], first: 0, total: 0 }

async function loadingStates(isQuiet: boolean): Promise<boolean[]> {
  vi.stubGlobal('fetch', async () => Response.json({ success: true, data: PAGE }))
  const said: boolean[] = []
  const pages = createLogPages({ appId: 1 }, ({ isLoading }) => said.push(isLoading))
  let isUsed = false
  await pages.ask('all', { limit: 1, isQuiet }, () => (isUsed = true))
  expect(isUsed).toBe(true)
  return said
}

it('says that a page loads', async () => {
  expect(await loadingStates(false)).toEqual([true, false])
})

it('does not say so of a page that nobody waits for', async () => {
  expect(await loadingStates(true)).toEqual([false, false])
})
