/** Stands for visible white space. All other values are the class of a character. */
export const WHITE_SPACE = 128
const UNKNOWN = 255

/** Computed once per character: running a regular expression on every character of a log would be too slow. */
const KINDS = new Uint8Array(65_536).fill(UNKNOWN)

/** The class of a character, or `WHITE_SPACE`. */
export function kindOf(unit: number): number {
  const known = KINDS[unit] ?? 0
  if (known !== UNKNOWN) return known
  const kind = workedOut(unit)
  KINDS[unit] = kind
  return kind
}

/**
 * White space and invisible characters are 0, which means they are skipped. The two alphabets of base64 are one, and so are a space and
 * the plus that stands for it in a URL. Characters beyond ASCII share a few classes: at worst too much is hidden.
 */
export function classOf(unit: number): number {
  return kindOf(unit) & 127
}

function workedOut(unit: number): number {
  const character = String.fromCharCode(unit)
  if (/[^\S\ufeff]/.test(character)) return WHITE_SPACE // JavaScript counts a zero-width character as white space
  if (unit < 128) return unit <= 32 || unit === 127 ? 0 : unit === 45 ? 43 : unit === 95 ? 47 : unit
  return /[\ufeff\p{Default_Ignorable_Code_Point}]/u.test(character) ? 0 : 1 + (unit % 31)
}
