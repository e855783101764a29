import { kindOf, WHITE_SPACE } from './character-class.ts'
import type { SecretForm } from './secret-forms.ts'
import { CLASSES, createTrie, PART } from './secret-trie.ts'

/** The positions of its first and last characters in a text. */
export type Hit = { readonly first: number; readonly last: number; readonly isPart: boolean }
/** The remaining steps of a search, which ends early when there are none left. */
export type Steps = { left: number }
type Scan = { readonly text: string; readonly steps: Steps; readonly onHit: (hit: Hit) => void }
type GoOn = {
  readonly text: string
  readonly steps: Steps
  readonly after: { readonly state: number; readonly from: number }
  /** `before` of its characters were before this text. */
  readonly onHit: (hit: Hit, before: number) => void
}
/**
 * `count` characters so far that are neither white space nor invisible; `begun` are the positions of those in the partial match of
 * `state`.
 */
type Found = { readonly state: number; readonly count: number; readonly begun: number[] }

/** Most of a search stays near the root, so the transitions of this many states are computed in advance. */
const MOST_ROWS = 512

/**
 * Searches for all forms in one pass, however many there are (Aho and Corasick, 1975). A state describes the partial match at the end of
 * a text, so that a search can continue in the next one.
 */
export function createSecretSearch(forms: readonly SecretForm[]) {
  const { nodes, depths, kinds, fails, spacedHits, solidHits, childOf } = createTrie(forms)
  const rowCount = Math.min(nodes, MOST_ROWS)
  const rows = nextStates(rowCount, { childOf, fails })

  function next(state: number, code: number, steps: Steps): number {
    let from = state
    steps.left -= 1
    while (from >= rowCount) {
      const child = childOf(from, code)
      if (child !== 0) return child
      from = fails[from] ?? 0
      steps.left -= 1
    }
    return rows[from * CLASSES + code] ?? 0
  }

  const depthOf = (state: number): number => depths[state] ?? 0
  const isPart = (hit: number): boolean => ((kinds[hit] ?? 0) & PART) !== 0

  function found(state: number, places: readonly number[]): Found {
    return { state, count: places.length, begun: places.slice(Math.max(0, places.length - depthOf(state))) }
  }

  /**
   * Finds the longest form that ends at each position. Within a line white space matters: "in form" is not "inform". So a form without
   * white space must start after the last white space, and one with white space must include it.
   */
  function scan({ text, steps, onHit }: Scan): Found {
    let state = 0
    let sinceSpace = { state: 0, count: 0 }
    const places: number[] = []
    for (let at = 0; at < text.length && steps.left >= 0; at += 1) {
      const kind = kindOf(text.charCodeAt(at))
      if (kind === WHITE_SPACE) sinceSpace = { state: 0, count: 0 }
      if (kind === 0 || kind === WHITE_SPACE) continue
      const isSame = state === sinceSpace.state
      state = next(state, kind, steps)
      sinceSpace.state = isSame ? state : next(sinceSpace.state, kind, steps)
      sinceSpace.count += 1
      places.push(at)
      const spaced = spacedHits[state] ?? 0
      const hit = depthOf(spaced) > sinceSpace.count ? spaced : (solidHits[sinceSpace.state] ?? 0)
      if (hit !== 0) onHit({ first: places[places.length - depthOf(hit)] ?? 0, last: at, isPart: isPart(hit) })
    }
    return found(state, places)
  }

  /** Continues from a state, and only follows matches that began before this text; it ends as soon as none is left. */
  function goOn({ text, after, steps, onHit }: GoOn): Found {
    let { state } = after
    const places: number[] = []
    for (let at = after.from; at < text.length && steps.left >= 0; at += 1) {
      const kind = kindOf(text.charCodeAt(at))
      if (kind === 0 || kind === WHITE_SPACE) continue
      state = next(state, kind, steps)
      places.push(at)
      const [spaced, solid] = [spacedHits[state] ?? 0, solidHits[state] ?? 0]
      const hit = depthOf(spaced) > depthOf(solid) ? spaced : solid
      const before = depthOf(hit) - places.length
      if (before > 0) onHit({ first: places[0] ?? 0, last: at, isPart: isPart(hit) }, before)
      if (depthOf(state) <= places.length) break
    }
    return found(state, places)
  }

  return { scan, goOn, begunIn: depthOf }
}

export type SecretSearch = ReturnType<typeof createSecretSearch>

function nextStates(rowCount: number, { childOf, fails }: Pick<ReturnType<typeof createTrie>, 'childOf' | 'fails'>): Uint32Array {
  const rows = new Uint32Array(rowCount * CLASSES)
  for (let state = 0; state < rowCount; state += 1)
    for (let code = 1; code < CLASSES; code += 1) {
      const child = childOf(state, code)
      rows[state * CLASSES + code] = child !== 0 || state === 0 ? child : (rows[(fails[state] ?? 0) * CLASSES + code] ?? 0)
    }
  return rows
}
