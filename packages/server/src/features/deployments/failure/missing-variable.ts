/** Names such as DATABASE_URL. A single word in capitals could be anything. */
const NAME = '\\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|PORT|NODE_ENV)'
const Q = '["\'`]?'

const SAID: readonly RegExp[] = [
  new RegExp(
    `${NAME}${Q} (?:\\w+ ){0,3}?(?:is |was |are |has )?(?:not (?:been )?(?:set|defined|found|provided|given|be empty)|unset|missing|undefined|required|empty)\\b`,
  ),
  new RegExp(`${NAME}${Q} (?:must be|needs to be|should be) (?:set|defined|provided|given)\\b`),
  new RegExp(`\\b(?:[Mm]issing|[Rr]equired?s?|[Uu]ndefined|[Nn]o|[Ss]et|[Pp]rovide)\\b[^A-Z]{0,60}${Q}${NAME}`),
  new RegExp(`[Ee]nvironment variable (?:not found|is not set|missing)?:? ?${Q}${NAME}`),
  new RegExp(`\\bKeyError: ${Q}${NAME}`),
  new RegExp(`key not found: ${Q}${NAME}`),
  new RegExp(`validation errors? for \\S+ ${NAME} Field required`),
]

/** The name of the environment variable that this line says is missing. */
export function missingVariable(line: string): string | undefined {
  for (const pattern of SAID) {
    const name = pattern.exec(line)?.[1]
    if (name !== undefined) return name
  }
  return undefined
}
