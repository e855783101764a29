import { buildArgsProblem, ProcessCommands, RepositoryBuildSettings } from '@berth/contract'
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { parseForeignJson, TooManyParts } from '../lib/foreign-json.ts'
import { keyLines } from './json-lines.ts'
import { BuildProblem, nameIn, type Project } from './project.ts'

export const BerthJson = Type.Object({
  $schema: Type.Optional(Type.String()),
  ...RepositoryBuildSettings,
  processes: Type.Optional(ProcessCommands),
})
export type BerthJson = Omit<Static<typeof BerthJson>, '$schema'>

const BERTH_JSON = 'berth.json'
const MOST_PROBLEMS = 3
/** Of a map, to name the wrong one, and of a key, in a sentence. */
const MOST_ENTRIES = 200
const LONGEST_KEY = 80

/** The build settings in the repository's own file. They take precedence over those of the app. */
export function readBerthJson(project: Project): BerthJson {
  if (!project.has(BERTH_JSON)) return {}
  const name = nameIn(project, BERTH_JSON)
  const text = project.read(BERTH_JSON).replace(/^\uFEFF/, '')
  const value = parsed(text, name)
  const problems = [...problemsIn(value)]
  if (problems.length === 0) return value
  const lines = keyLines(text)
  const sentences = problems
    .slice(0, MOST_PROBLEMS)
    .map(
      ({ key, message }) => `Line ${lines.get(key) ?? lines.get(key.split('.')[0] ?? '') ?? 1}: ${key.slice(0, LONGEST_KEY)} ${message}.`,
    )
  throw new BuildProblem(`${name} is not valid. ${sentences.join(' ')} docs/builders.md lists the settings.`)
}

function parsed(text: string, name: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = parseForeignJson(text)
  } catch (cause) {
    if (cause instanceof TooManyParts) throw new BuildProblem(`${name} cannot be read. ${cause.message}`, { cause })
    const line = wrongLine(text)
    throw new BuildProblem(`Line ${line} of ${name} is not valid JSON. Fix it, then deploy again.`, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BuildProblem(`${name} must contain a JSON object.`)
  return value as Record<string, unknown> // an object, checked above
}

/** The first line at which the text can no longer become valid JSON: up to the line before, only the end is missing. */
function wrongLine(text: string): number {
  const lines = text.split('\n')
  let [fine, wrong] = [0, lines.length]
  while (wrong - fine > 1) {
    const middle = Math.floor((fine + wrong) / 2)
    if (onlyLacksItsEnd(lines.slice(0, middle).join('\n'))) fine = middle
    else wrong = middle
  }
  return wrong
}

function onlyLacksItsEnd(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (cause) {
    return cause instanceof Error && (/end of JSON input|Unterminated string/.test(cause.message) || endsAt(cause.message, text.length))
  }
}

function endsAt(message: string, length: number): boolean {
  return Number(/position (\d+)/.exec(message)?.[1] ?? -1) >= length
}

function* problemsIn(value: Readonly<Record<string, unknown>>): Generator<{ key: string; message: string }> {
  const properties: Readonly<Record<string, TSchema>> = BerthJson.properties
  for (const [key, given] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (schema === undefined) yield { key, message: 'is not a known setting' }
    else if (!Value.Check(schema, given))
      yield { key: innerKey(schema, key, given), message: `must be ${'expects' in schema ? String(schema.expects) : 'a string'}` }
  }
  const tooLong = Value.Check(RepositoryBuildSettings.buildArgs, value['buildArgs']) ? buildArgsProblem(value['buildArgs']) : undefined
  if (tooLong !== undefined) yield { key: 'buildArgs', message: tooLong }
}

/** For a map, the invalid entry. */
function innerKey(schema: TSchema, key: string, given: unknown): string {
  if ((key !== 'buildArgs' && key !== 'processes') || typeof given !== 'object' || given === null) return key
  const first = Object.entries(given).slice(0, MOST_ENTRIES)
  const wrong = first.find(([name, text]) => !Value.Check(schema, { [name]: text as unknown }))
  return wrong === undefined ? key : `${key}.${wrong[0]}`
}
