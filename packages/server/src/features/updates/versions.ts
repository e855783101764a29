const SHAPE = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9a-zA-Z.-]{1,40}))?$/

type Parsed = { readonly numbers: readonly number[]; readonly pre: readonly string[] }

function parse(version: string): Parsed {
  const [, major = '0', minor = '0', patch = '0', pre = ''] = SHAPE.exec(version) ?? []
  return { numbers: [major, minor, patch].map(Number), pre: pre === '' ? [] : pre.split('.') }
}

export function isVersion(text: string): boolean {
  return SHAPE.test(text)
}

/** As semantic versions are ordered: 0.9.0 is before 0.10.0, and 1.0.0-next.2 before 1.0.0. Negative if `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length
  for (let index = 0; index < Math.max(left.pre.length, right.pre.length); index += 1) {
    const difference = compareParts(left.pre[index], right.pre[index])
    if (difference !== 0) return difference
  }
  return 0
}

function compareParts(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumberA && isNumberB) return Number(a) - Number(b)
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Whether only the last number differs, as in a release that mends something. */
export function isPatchOf(version: string, of: string): boolean {
  const [left, right] = [parse(version), parse(of)]
  return left.numbers[0] === right.numbers[0] && left.numbers[1] === right.numbers[1] && left.pre.length === 0
}
