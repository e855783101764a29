/** One condition on a version, such as `>=18.2`. Parts that are not given are undefined. */
type Comparator = {
  readonly operator: string
  readonly major: number
  readonly rest: readonly (number | undefined)[]
  readonly text: string
}

const PART = /^(>=|<=|>|<|=|\^|~)?v?(\d{1,4})(?:\.(\d{1,4}|[xX*]))?(?:\.(\d{1,4}|[xX*]))?(?:[-+].*)?$/

/**
 * The image tag for a version range as package managers write it: the preferred major version if it matches, otherwise the newest known one
 * that does. Undefined if it is not a range, or nothing matches.
 */
export function imageVersion(range: string, known: { preferred: number; majors: readonly number[] }): string | undefined {
  const text = range.trim().slice(0, 200)
  if (text === '' || text === '*' || text === 'latest' || text === 'x') return String(known.preferred)
  const alternatives = text.split('||').map((part) => comparatorsOf(part))
  if (alternatives.some((part) => part === undefined)) return undefined
  const sets = alternatives.filter((part) => part !== undefined)
  const pinned = sets.length === 1 && sets[0]?.length === 1 ? pinnedTag(sets[0][0]) : undefined
  if (pinned !== undefined) return pinned
  const fits = (major: number) => sets.some((set) => set.every((comparator) => isMet(comparator, major)))
  const major = [known.preferred, ...known.majors].find(fits)
  return major === undefined ? undefined : String(major)
}

function comparatorsOf(text: string): Comparator[] | undefined {
  const joined = text
    .trim()
    .replace(/(>=|<=|>|<|=|\^|~)[ \t]+/g, '$1')
    .split(/[ \t,]+/)
  const words = joined[1] === '-' && joined.length === 3 ? [`>=${joined[0]}`, `<=${joined[2]}`] : joined
  const found = words.map(comparatorOf)
  return found.some((each) => each === undefined) ? undefined : found.filter((each) => each !== undefined)
}

function comparatorOf(word: string): Comparator | undefined {
  const match = PART.exec(word)
  if (match?.[2] === undefined) return undefined
  const rest = [match[3], match[4]].map((part) => (part === undefined || /\D/.test(part) ? undefined : Number(part)))
  return { operator: match[1] ?? '', major: Number(match[2]), rest, text: word.replace(/^[^\d]+/, '') }
}

/** `20.11.1`, `20.11.x` and `~20.11.0` name more than a major version. */
function pinnedTag(comparator: Comparator | undefined): string | undefined {
  const minor = comparator?.rest[0]
  if (comparator === undefined || minor === undefined || !['', '=', '~'].includes(comparator.operator)) return undefined
  const patch = comparator.operator === '~' ? undefined : comparator.rest[1]
  return [comparator.major, minor, ...(patch === undefined ? [] : [patch])].join('.')
}

/** Whether the newest release of a major version matches: its image always is the newest release. */
function isMet({ operator, major, rest }: Comparator, candidate: number): boolean {
  const isWholeMajor = rest.every((part) => part === undefined || part === 0)
  switch (operator) {
    case '>=':
      return candidate >= major
    case '>':
      return isWholeMajor && rest[0] === undefined ? candidate > major : candidate >= major
    case '<':
      return isWholeMajor ? candidate < major : candidate <= major
    case '<=':
      return candidate <= major
    default:
      return candidate === major
  }
}
