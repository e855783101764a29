/** Reads the engine's responses: a field that is missing or has another type becomes the empty value of its type. */
export function record(value: unknown): Record<string, unknown> {
  // The three checks are what the type says; an index signature of unknown promises nothing about the fields.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => record(at)[key], value)
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(record(value)).map(([key, entry]) => [key, text(entry)]))
}

/** The engine's filter parameter: `{"label":["a=b"]}`. */
export function filters(wanted: Readonly<Record<string, readonly string[]>>): string {
  return JSON.stringify(wanted)
}

export function labelFilter(labels: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`)
}
