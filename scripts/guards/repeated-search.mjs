// What scslre does not look for: `no.*yet` in `no no no no`, where each `no` begins another search to the end of the text, and
// `^.*: .*!` in `: : : :`, where each colon does. What stands between two repetitions can be inside both, so their border can be at
// many places, and when what follows is missing every one of them is tried. The beginning of a pattern that may match anywhere counts
// as a repetition of anything.
import { RegExpParser } from '@eslint-community/regexpp'

/**
 * @typedef {import('@eslint-community/regexpp').AST.Element} Element
 * @typedef {{ optional: readonly Element[] }} Place the optional groups that a piece is in, each of which may be left out whole
 * @typedef {Place & ({ is: 'characters', set: Set<string>, min: number, isEndless: boolean } | { is: 'start' | 'end' | 'word' | 'condition' })} Piece
 */

// Enough of Unicode to tell whether two classes have a character in common.
const SAMPLE = [...Array.from({ length: 0x250 }, (_, code) => String.fromCodePoint(code)), '\u2028', '\u2029', '–', '→', '➤', '✖', '世']
const LINE_ENDS = new Set(['\n', '\r', '\u2028', '\u2029'])
const MOST_WAYS = 2000
/** @type {Map<string, 'start' | 'end' | 'word'>} */
const PLACES = new Map([
  ['start', 'start'],
  ['end', 'end'],
  ['word', 'word'],
])

/** @param {Element} element @param {string} flags */
function charactersOf(element, flags) {
  const one = new RegExp(`^(?:${element.raw})$`, flags.replaceAll(/[gym]/g, ''))
  return new Set(SAMPLE.filter((character) => one.test(character)))
}

/**
 * Every way through these elements, with groups taken apart and alternatives chosen.
 * @param {readonly Element[]} elements
 * @param {string} flags
 * @returns {Piece[][]}
 */
function waysThrough(elements, flags) {
  return elements.reduce(
    (/** @type {Piece[][]} */ ways, element) => {
      const next = waysOf(element, flags)
      if (ways.length * next.length > MOST_WAYS) throw new RangeError('too many ways through a pattern')
      return ways.flatMap((way) => next.map((more) => [...way, ...more]))
    },
    [[]],
  )
}

/** @param {Element} element @param {string} flags @returns {Piece[][]} */
function waysOf(element, flags) {
  switch (element.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return [[{ is: 'characters', set: charactersOf(element, flags), min: 1, isEndless: false, optional: [] }]]
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.flatMap((alternative) => waysThrough(alternative.elements, flags))
    case 'Quantifier': {
      const ways = waysOf(element.element, flags)
      const [only] = ways
      if (ways.length === 1 && only?.length === 1 && only[0]?.is === 'characters')
        return [[{ ...only[0], min: Math.min(element.min, only[0].min), isEndless: only[0].isEndless || element.max === Infinity }]]
      if (element.min > 0) return ways
      return [[], ...ways.map((way) => way.map((piece) => ({ ...piece, optional: [...piece.optional, element] })))]
    }
    case 'Assertion':
      return [[{ is: PLACES.get(element.kind) ?? 'condition', optional: [] }]]
    case 'Backreference':
    default:
      return [[{ is: 'condition', optional: [] }]]
  }
}

/** Whether a text that this piece matches can be inside a run of these characters. @param {Piece} piece @param {Set<string>} run @param {string} flags */
function fitsInside(piece, run, flags) {
  if (piece.is === 'characters') return piece.min === 0 || [...piece.set].some((character) => run.has(character))
  if (piece.is === 'word') return new Set([...run].map((character) => /\w/.test(character))).size === 2 // the edge of a word is not inside it
  return piece.is === 'condition' || (flags.includes('m') && run.has('\n'))
}

/** Whether the search goes on when this is missing behind a run. @param {Piece} piece @param {Piece & { is: 'characters' }} behind @param {string} flags */
function canFail(piece, behind, flags) {
  if (!piece.optional.every((group) => behind.optional.includes(group))) return false
  if (piece.is === 'characters') return piece.min > 0
  if (piece.is !== 'end') return true
  return !SAMPLE.every((character) => behind.set.has(character) || (flags.includes('m') && LINE_ENDS.has(character)))
}

/** @param {Piece[]} way @param {string} flags */
function searchesRepeatedly(way, flags) {
  /** @type {Piece} */
  const anywhere = { is: 'characters', set: new Set(SAMPLE), min: 0, isEndless: true, optional: [] }
  const pieces = flags.includes('y') ? way : [anywhere, ...way]
  return pieces.some((second, end) => {
    if (second.is !== 'characters' || !second.isEndless) return false
    if (!pieces.slice(end + 1).some((piece) => canFail(piece, second, flags))) return false
    return pieces.slice(0, end).some((first, begin) => {
      if (first.is !== 'characters' || !first.isEndless) return false
      const both = new Set([...first.set].filter((character) => second.set.has(character)))
      return both.size > 0 && pieces.slice(begin + 1, end).every((piece) => fitsInside(piece, both, flags))
    })
  })
}

/** @param {string} source @param {string} flags */
export function repeatsItsSearch(source, flags) {
  const unicode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  const { alternatives } = new RegExpParser().parsePattern(source, 0, source.length, unicode)
  return alternatives.some(({ elements }) => waysThrough(elements, flags).some((way) => searchesRepeatedly(way, flags)))
}
