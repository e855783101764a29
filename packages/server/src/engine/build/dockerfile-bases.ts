import { readFlags } from './dockerfile-flags.ts'

/** The base of a stage: the image, and the platform of the line. Both are null if they are not known before the build. */
export type Base = { readonly line: number; readonly text: string; readonly image: string | null; readonly platform: string | null }

type Line = { readonly number: number; readonly text: string }
type Given = Readonly<Record<string, string>>
type File = { readonly lines: readonly Line[]; readonly instructions: readonly Line[]; readonly given: Given; readonly platform: string }
type Values = ReadonlyMap<string, string>

const FROM = /^FROM[\s\u0085]+(.*)/is
const PLATFORM = /^--platform=(.*)$/is
const NOTHING = /^[ \t]*(?:#.*)?$/
const ARG = /^[ \t]*ARG[ \t]+([^ \t].*)$/i
const ARGUMENT = /^([A-Za-z_]\w*)(?:=("?)([\w.:/@+${}-]*)\2)?$/
const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([\w.:/@+-]*))?\})/g
const PLAIN = /^[\w.:/@+-]*$/
/** Longer than any image name. Arguments can be made of arguments, and then a few lines make a value that fills the memory. */
const LONGEST = { image: 1024, argument: 4096 }
/** Arguments that the builder sets itself, now or in a later version. */
const OF_THE_BUILDER = /^BUILDKIT_|^(?:BUILD|TARGET)(?:PLATFORM|OS|OSVERSION|ARCH|VARIANT|STAGE)$/

/**
 * The base images of all stages, with the arguments above the first stage filled in. Nothing is guessed: anything written in an unusual
 * way is null.
 */
export function basesIn(file: File): Base[] {
  const values = argumentsAbove(file)
  return file.instructions.flatMap(({ number, text }) => {
    const rest = FROM.exec(text)?.[1]
    return rest === undefined ? [] : ['\\', '`'].map((escape) => baseOf(number, readFlags(rest, escape), values))
  })
}

function baseOf(line: number, { flags, rest }: { flags: string[]; rest: string }, values: Values | null): Base {
  const text = /^\S*/.exec(rest)?.[0] ?? ''
  const wanted = flags.flatMap((flag) => PLATFORM.exec(flag)?.[1] ?? []).at(-1) ?? ''
  return { line, text, image: filledIn(text, values, LONGEST.image), platform: filledIn(wanted, values, LONGEST.image) }
}

/** Null if there is anything but plain arguments above the first stage: then their values are not certain. */
function argumentsAbove({ lines, given, platform }: File): Values | null {
  const values = valuesOfBuilder(platform, given)
  for (const { text } of lines) {
    if (NOTHING.test(text)) continue
    const words = ARG.exec(text)?.[1]
      ?.trim()
      .split(/[ \t]+/)
    if (words === undefined) return FROM.test(text.trim()) ? values : null
    for (const word of words) {
      const [, name = '', , value] = ARGUMENT.exec(word) ?? []
      if (name === '' || OF_THE_BUILDER.test(name)) return null
      const filled = given[name] ?? (value === undefined ? undefined : filledIn(value, values, LONGEST.argument))
      if (filled === null) return null
      if (filled === undefined) values.delete(name)
      else values.set(name, filled)
    }
  }
  return values
}

function valuesOfBuilder(platform: string, given: Given): Map<string, string> {
  const [os = '', architecture = ''] = platform.split('/')
  const values = Object.entries({ PLATFORM: platform, OS: os, ARCH: architecture })
  const named = values.flatMap(([name, value]) => ['BUILD', 'TARGET'].map((prefix) => [`${prefix}${name}`, value] as const))
  return new Map(named.map(([name, value]) => [name, given[name] ?? value]))
}

function filledIn(text: string, values: Values | null, longest: number): string | null {
  if (text.length > longest) return null
  if (PLAIN.test(text)) return text
  let isKnown = values !== null
  let length = 0
  const filled = text.replaceAll(VARIABLE, (_, bare: string | undefined, braced: string | undefined, otherwise: string | undefined) => {
    const value = values?.get(bare ?? braced ?? '')
    const given = value === undefined || value === '' ? (otherwise ?? '') : value
    length += given.length
    isKnown &&= value !== undefined && length <= longest
    return isKnown ? given : ''
  })
  return isKnown && PLAIN.test(filled) ? filled : null
}
