import type { Locator, Page } from 'playwright-core'

const LONG_MS = 60_000

/** Until it is there; a deployment on a busy machine takes its time. */
export async function shown(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: 'visible', timeout: LONG_MS })
}

export async function gone(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: 'hidden', timeout: LONG_MS })
}

/** The page of a deployment says how it ended. */
export async function ended(page: Page, words: 'Live' | 'Failed' | 'Cancelled'): Promise<void> {
  await shown(page.getByRole('heading', { name: words }))
}
