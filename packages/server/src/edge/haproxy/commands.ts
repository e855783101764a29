export type MapEntry = { readonly ref: string; readonly key: string; readonly value: string }
export type MapChange =
  | { readonly kind: 'add' | 'set'; readonly key: string; readonly value: string }
  | { readonly kind: 'del' /** a key, or `#` and the reference of one of several entries with the same key */; readonly key: string }

/** HAProxy did not answer, or refused a command. */
export class RuntimeError extends Error {
  override readonly name: string = 'RuntimeError'
}

/** There was no answer, or not in time. The command may or may not have been executed. */
export class RuntimeSilent extends RuntimeError {
  override readonly name = 'RuntimeSilent'
}

/** A command and its payload must fit into one of HAProxy's buffers; half of the smallest default is safe. */
const MAX_COMMAND = 8_000

export function parseMap(text: string): MapEntry[] {
  const entries: MapEntry[] = []
  for (const line of text.split('\n')) {
    const [ref, key, value] = line.split(' ')
    if (ref?.startsWith('0x') === true && key !== undefined) entries.push({ ref, key, value: value ?? '' })
  }
  return entries
}

export function parseCertificateList(text: string): { path: string; line: number; host: string }[] {
  const entries: { path: string; line: number; host: string }[] = []
  for (const line of text.split('\n')) {
    const match = /^(\/.+):(\d+) (?:\[.*\] )?(\S+)$/.exec(line.trim())
    const [, path, number, host] = match ?? []
    if (path !== undefined && number !== undefined && host !== undefined) entries.push({ path, line: Number(number), host })
  }
  return entries
}

/**
 * The changes that turn the current entries into the wanted ones, additions and changes before removals. Entries in `keep` are left
 * alone.
 */
export function mapChanges(actual: readonly MapEntry[], wanted: ReadonlyMap<string, string>, keep: ReadonlySet<string>): MapChange[] {
  const changes: MapChange[] = []
  const removals: MapChange[] = []
  const seen = new Set<string>()
  for (const { ref, key, value } of actual) {
    const target = wanted.get(key)
    const isUnwanted = target === undefined && !keep.has(key)
    if (seen.has(key) && isUnwanted) continue // removing a key removes all its entries
    if (seen.has(key)) removals.push({ kind: 'del', key: `#${ref}` })
    else if (isUnwanted) removals.push({ kind: 'del', key })
    else if (target !== undefined && target !== value) changes.push({ kind: 'set', key, value: target })
    seen.add(key)
  }
  for (const [key, value] of wanted) if (!seen.has(key)) changes.push({ kind: 'add', key, value })
  return [...changes, ...removals]
}

/** Few large commands instead of many small ones: additions are sent as payload, the rest joined by semicolons. */
export function mapCommands(path: string, changes: readonly MapChange[]): string[] {
  const commands: string[] = []
  let batch: string[] = []
  let size = 0
  let isAdding = false
  const flush = () => {
    if (batch.length > 0) commands.push(isAdding ? `add map ${path} <<\n${batch.join('\n')}\n` : batch.join(';'))
    batch = []
    size = 0
  }
  for (const change of changes) {
    const line = commandLine(path, change)
    if (size + line.length + 1 > MAX_COMMAND || isAdding !== (change.kind === 'add')) flush()
    isAdding = change.kind === 'add'
    batch.push(line)
    size += line.length + 1
  }
  flush()
  return commands
}

function commandLine(path: string, change: MapChange): string {
  switch (change.kind) {
    case 'add':
      return `${change.key} ${change.value}`
    case 'set':
      return `set map ${path} ${change.key} ${change.value}`
    case 'del':
      return `del map ${path} ${change.key}`
    default:
      return change satisfies never
  }
}
