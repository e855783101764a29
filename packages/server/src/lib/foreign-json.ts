import { hasTooManyParts } from './json-parts.ts'

const REFUSAL =
  'This has too many parts to be parsed: at most 100,000 objects and lists, 300,000 commas, and 5,000 different names or orders of names.'

/** The text may be JSON, but to parse it would hold up everybody else. */
export class TooManyParts extends Error {
  override readonly name = 'TooManyParts'
  constructor() {
    super(REFUSAL)
  }
}

/** Parses JSON that somebody else wrote, also with a byte order mark. Throws `TooManyParts` for what takes far more than its length to parse. */
export function parseForeignJson(json: Buffer | string): unknown {
  if (hasTooManyParts(typeof json === 'string' ? Buffer.from(json) : json)) throw new TooManyParts()
  return JSON.parse(json.toString().replace(/^\uFEFF/, ''))
}
