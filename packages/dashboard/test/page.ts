import { vi } from 'vitest'
import { mountDashboard } from '../src/app/mount.tsx'

/** Opens an address in the real dashboard. */
export function openPage(path: string): Disposable {
  history.replaceState(null, '', path)
  const element = document.createElement('div')
  document.body.replaceChildren(element)
  const unmount = mountDashboard(element)
  return { [Symbol.dispose]: unmount }
}

/** Everything a person reads, fields included. */
export function text(): string {
  return document.body.textContent
}

/** Waits until the page satisfies what is asked; on failure the error says what the page shows instead. */
export async function until<Value>(find: () => Value | undefined | false): Promise<Value> {
  return await vi.waitFor(
    () => {
      const found = find()
      if (found === undefined || found === false) throw new Error(`not on the page (${location.pathname}), which shows: ${text()}`)
      return found
    },
    { timeout: 20_000, interval: 10 },
  )
}

export async function shows(words: string): Promise<void> {
  await until(() => text().includes(words))
}

export function field(label: string): HTMLInputElement | undefined {
  const found = [...document.querySelectorAll('label')].find(({ textContent }) => textContent.trim() === label)
  const input = found && document.getElementById(found.htmlFor)
  return input instanceof HTMLInputElement ? input : undefined
}

/** Types as React hears it: through the element's own setter, which React does not watch. */
export async function type(label: string, value: string): Promise<void> {
  const input = await until(() => field(label))
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value)
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

export async function press(name: string, within: () => Element | null | undefined = () => document.body): Promise<void> {
  const button = await until(() => [...(within()?.querySelectorAll('button') ?? [])].find((each) => each.textContent.trim() === name))
  button.click()
}
