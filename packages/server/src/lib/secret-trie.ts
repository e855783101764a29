import { classOf } from './character-class.ts'
import type { SecretForm } from './secret-forms.ts'

export const CLASSES = 128
/** Kinds of forms; a match at one position can be of several kinds. */
const WITH_SPACE = 1
const WITHOUT_SPACE = 2
export const PART = 4
/** A text with fewer characters than this, not counting white space, is not treated as a secret. */
const FEWEST_CHARACTERS = 4

type Paths = { readonly forms: readonly SecretForm[]; readonly codes: Uint8Array; readonly starts: Uint32Array; readonly longest: number }

/** The forms as character classes, one after the other in one array; the last start is its end. */
function pathsOf(all: readonly SecretForm[]): Paths {
  const codes = new Uint8Array(all.reduce((sum, { text }) => sum + text.length, 0))
  const starts = new Uint32Array(all.length + 1)
  const forms: SecretForm[] = []
  let [end, longest] = [0, 0]
  for (const form of all) {
    const start = end
    for (let at = 0; at < form.text.length; at += 1) {
      const code = classOf(form.text.charCodeAt(at))
      if (code !== 0) codes[end++] = code
    }
    if (end - start < FEWEST_CHARACTERS) end = start
    else starts[forms.push(form)] = end
    longest = Math.max(longest, end - start)
  }
  return { forms, codes: codes.subarray(0, end), starts, longest }
}

/** Nodes are numbers, those nearest to the root first, and their properties are in typed arrays, because there can be many. */
export function createTrie(all: readonly SecretForm[]) {
  const { forms, codes, starts, longest } = pathsOf(all)
  const mostNodes = codes.length + 1
  const children = createChildren(mostNodes)
  const [depths, kinds] = [new Uint8Array(mostNodes), new Uint8Array(mostNodes)]
  const fails = new Uint32Array(mostNodes)
  /** The longest form of each kind that ends at a node. */
  const [spacedHits, solidHits] = [new Uint32Array(mostNodes), new Uint32Array(mostNodes)]
  let nodes = 1

  function addChild(parent: number, code: number): number {
    const known = children.get(parent, code)
    if (known !== 0) return known
    const node = nodes++
    children.set(parent, code, node)
    depths[node] = (depths[parent] ?? 0) + 1
    for (let from = parent; from !== 0 && fails[node] === 0; ) {
      from = fails[from] ?? 0
      fails[node] = children.get(from, code)
    }
    return node
  }

  const lasts = new Uint32Array(forms.length)
  for (let depth = 0; depth < longest; depth += 1)
    for (let index = 0; index < lasts.length; index += 1) {
      const at = (starts[index] ?? 0) + depth
      if (at < (starts[index + 1] ?? 0)) lasts[index] = addChild(lasts[index] ?? 0, codes[at] ?? 0)
    }
  for (const [index, { isSpaced, isPart }] of forms.entries()) {
    const node = lasts[index] ?? 0
    kinds[node] = (kinds[node] ?? 0) | (isSpaced ? WITH_SPACE : WITHOUT_SPACE) | (isPart ? PART : 0)
  }
  for (let node = 1; node < nodes; node += 1) {
    const [kind, fail] = [kinds[node] ?? 0, fails[node] ?? 0]
    spacedHits[node] = (kind & WITH_SPACE) === 0 ? (spacedHits[fail] ?? 0) : node
    solidHits[node] = (kind & WITHOUT_SPACE) === 0 ? (solidHits[fail] ?? 0) : node
  }
  return { nodes, depths, kinds, fails, spacedHits, solidHits, childOf: children.get }
}

/** The child of a node by its character. One hash table for all nodes: a Map would take several times the memory. */
function createChildren(mostNodes: number) {
  const bits = Math.max(8, Math.ceil(Math.log2(mostNodes * 2)))
  const keys = new Uint32Array(2 ** bits)
  const nodes = new Uint32Array(2 ** bits)

  function slotOf(key: number): number {
    let slot = Math.imul(key, 0x9e_37_79_b1) >>> (32 - bits)
    while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & (2 ** bits - 1)
    return slot
  }

  return {
    get: (node: number, code: number): number => nodes[slotOf(node * CLASSES + code)] ?? 0,
    set: (parent: number, code: number, node: number): void => {
      const slot = slotOf(parent * CLASSES + code)
      keys[slot] = parent * CLASSES + code
      nodes[slot] = node
    },
  }
}
