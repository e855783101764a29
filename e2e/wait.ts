import type { Locator, Page } from 'playwright-core'

const LONG_MS = 120_000 // less than a test may take, so that it fails by what it waited for

/** Until it is there; a deployment on a busy machine takes its time. Another place may have it hidden, such as a closed part of the page. */
export async function shown(locator: Locator): Promise<void> {
  await locator.filter({ visible: true }).first().waitFor({ state: 'visible', timeout: LONG_MS })
}

export async function gone(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: 'hidden', timeout: LONG_MS })
}

/** The page of a deployment says how it ended. When it does not, the failure shows what it says instead. */
export async function ended(page: Page, words: 'Live' | 'Failed' | 'Cancelled'): Promise<void> {
  try {
    await shown(page.getByRole('heading', { name: new RegExp(`^Deployment #\\d+.*${words}`) })) // other pages have a card called Live
  } catch (cause) {
    throw new Error(`The page of the deployment does not say "${words}" but:\n${await page.locator('main').innerText()}`, { cause })
  }
}

const PRESS_MS = 5_000

/** Presses as people do: again when nothing comes of it. A container that comes or goes on the machine may cost a browser its request. */
export async function press(button: Locator, then: Locator): Promise<void> {
  for (const deadline = performance.now() + LONG_MS; performance.now() < deadline; ) {
    await button.click({ timeout: PRESS_MS }).catch(() => undefined) // gone: it did its work
    const came = await then
      .first()
      .waitFor({ state: 'visible', timeout: PRESS_MS })
      .then(
        () => true,
        () => false,
      )
    if (came) return
  }
  await shown(then)
}
