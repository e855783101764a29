const KEY = 'berth.left-form'
/** The way over GitHub takes at most ten minutes. */
const KEPT_MS = 15 * 60_000

type LeftForm = { path: string; at: number; values: Record<string, unknown> }

function kept(): LeftForm | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<LeftForm> | null // checked below
    if (typeof found?.path !== 'string' || typeof found.at !== 'number' || typeof found.values !== 'object') return undefined
    return Date.now() - found.at < KEPT_MS ? (found as LeftForm) : undefined // every field was checked
  } catch {
    return undefined
  }
}

/** Keeps what was typed into a form while the browser goes to a git host and back. In this tab alone, so no secrets belong here. */
export function keepForm(path: string, values: Record<string, unknown>): void {
  sessionStorage.setItem(KEY, JSON.stringify({ path, at: Date.now(), values } satisfies LeftForm))
}

/** The page to return to. */
export function leftPath(): string | undefined {
  return kept()?.path
}

/** What was typed on this page: the fields that the form still has, of the same type. */
export function keptForm<Values extends Record<string, unknown>>(path: string, empty: Values): Values | undefined {
  const found = kept()
  if (found?.path !== path) return undefined
  const known = Object.entries(found.values).filter(([key, value]) => Object.hasOwn(empty, key) && typeof value === typeof empty[key])
  return { ...empty, ...Object.fromEntries(known) }
}

export function forgetForm(): void {
  sessionStorage.removeItem(KEY)
}
