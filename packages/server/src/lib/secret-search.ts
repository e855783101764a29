import type { SecretForm } from './secret-forms.ts'
import { CLASSES, classOf, createTrie, PART, WITH_SPACE, WITHOUT_SPACE } from './secret-trie.ts'

/** `end` is the place of its last character; `length` counts the characters that are neither white space nor invisible. */
export type Hit = {
  readonly end: number
  readonly length: number
  /** Whether there are forms like this with and without white space. */
  readonly withSpace: boolean
  readonly withoutSpace: boolean
  readonly isPart: boolean
}
type Scan = {
  readonly text: string
  /** Whether it is one. If not, a shorter one that ends in the same place may be. `count` characters of the text were seen. */
  readonly onHit: (hit: Hit, count: number) => boolean
  /** Goes on from a state, and looks only for what began before this text; it ends as soon as nothing goes on any more. */
  readonly after?: { readonly state: number; readonly from: number }
}

/** Most of a search is near the beginnings: for so many states each next one is worked out in advance. */
const MOST_ROWS = 512

const CLASS_OF_ASCII = Uint8Array.from({ length: 128 }, (_unused, unit) => classOf(unit))

/** The places of the last characters of a text up to `end` that are neither white space nor invisible, in order. */
export function lastPlaces(text: string, end: number, count: number): number[] {
  const places: number[] = []
  for (let at = end; at >= 0 && places.length < count; at -= 1) if (classOf(text.charCodeAt(at)) !== 0) places.push(at)
  return places.toReversed()
}

/**
 * Looks for all forms at once, in one pass however many there are (Aho and Corasick, 1975). A state says what may have begun
 * by the end of a text, so that a search can go on in the next one.
 */
export function createSecretSearch(forms: readonly SecretForm[]) {
  const { nodes, depths, kinds, fails, hits, childOf } = createTrie(forms)
  const rowCount = Math.min(nodes, MOST_ROWS)
  const rows = new Uint32Array(rowCount * CLASSES)
  for (let state = 0; state < rowCount; state += 1)
    for (let code = 1; code < CLASSES; code += 1) {
      const child = childOf(state, code)
      rows[state * CLASSES + code] = child !== 0 || state === 0 ? child : (rows[(fails[state] ?? 0) * CLASSES + code] ?? 0)
    }

  function next(state: number, code: number): number {
    let from = state
    while (from >= rowCount) {
      const child = childOf(from, code)
      if (child !== 0) return child
      from = fails[from] ?? 0
    }
    return rows[from * CLASSES + code] ?? 0
  }

  function scan({ text, onHit, after }: Scan): { state: number; count: number } {
    let state = after?.state ?? 0
    let count = 0
    for (let at = after?.from ?? 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      const code = unit < 128 ? (CLASS_OF_ASCII[unit] ?? 0) : classOf(unit)
      if (code === 0) continue
      state = next(state, code)
      count += 1
      if (hits[state] !== 0) report(state, { end: at, count, longerThan: after === undefined ? 0 : count }, onHit)
      if (after !== undefined && (depths[state] ?? 0) <= count) break
    }
    return { state, count }
  }

  function report(state: number, { end, count, longerThan }: Record<'end' | 'count' | 'longerThan', number>, onHit: Scan['onHit']): void {
    for (let hit = hits[state] ?? 0; (depths[hit] ?? 0) > longerThan; hit = hits[fails[hit] ?? 0] ?? 0)
      if (onHit(hitOf(end, depths[hit] ?? 0, kinds[hit] ?? 0), count)) return
  }

  return { scan, begunIn: (state: number): number => depths[state] ?? 0 }
}

function hitOf(end: number, length: number, kind: number): Hit {
  const is = (bit: number) => (kind & bit) !== 0
  return { end, length, withSpace: is(WITH_SPACE), withoutSpace: is(WITHOUT_SPACE), isPart: is(PART) }
}

export type SecretSearch = ReturnType<typeof createSecretSearch>
