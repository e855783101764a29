import { type Input, type Operation, type OperationName, operations } from '@berth/contract'
import { textOf } from './arguments.ts'
import { type Options, type Values, WrongUsage } from './command.ts'

/** Which field of the operation an option sets. */
type Field = { field: string; value?: string; summary: string }
export type Fields = Readonly<Record<string, Field>>

/** The parts of a JSON schema that determine how a text is parsed. */
type Shape = { type?: string; anyOf?: readonly Shape[]; expects?: string }

const FLAGS: Readonly<Record<string, boolean>> = { true: true, yes: true, on: true, false: false, no: false, off: false }

export function optionsFor(fields: Fields): Options {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { value, summary }]) => [
      name,
      { type: 'string', ...(value !== undefined && { value }), summary } as const,
    ]),
  )
}

export function shapeOf(name: OperationName, field: string): Shape | undefined {
  const line: Pick<Operation, 'body' | 'query' | 'path'> = operations[name]
  const properties: Record<string, unknown> = { ...line.query?.properties, ...line.body?.properties }
  return Object.hasOwn(properties, field) ? (properties[field] as Shape) : undefined // a TypeBox schema is a JSON schema
}

/** Converts a text to the type of its field. "none" clears a field that may be empty; the server validates everything else. */
export function readAs(shape: Shape, text: string, label: string): unknown {
  const wrong = () => new WrongUsage(`${label} must be ${shape.expects ?? 'something else'}.`)
  const [first] = shape.anyOf ?? []
  if (first !== undefined && shape.anyOf !== undefined) {
    if (text === 'none' && shape.anyOf.some(({ type }) => type === 'null')) return null
    return readAs({ ...first, expects: (shape.expects ?? '').replace(/ or null$/, ' or none') }, text, label)
  }
  if (shape.type === 'boolean') {
    const flag = FLAGS[text.toLowerCase()]
    if (flag === undefined) throw wrong()
    return flag
  }
  if (shape.type !== 'integer' && shape.type !== 'number') return text
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || (shape.type === 'integer' && !Number.isInteger(number))) throw wrong()
  return number
}

/** The options that were given, as fields of an operation's input. */
export function inputFrom<Name extends OperationName>(name: Name, fields: Fields, values: Values): Partial<Input<Name>> {
  const given = Object.entries(fields).flatMap(([option, { field }]) => {
    const [text, shape] = [textOf(values, option), shapeOf(name, field)]
    return text === undefined || shape === undefined ? [] : [[field, readAs(shape, text, `--${option}`)] as const]
  })
  return Object.fromEntries(given) as Partial<Input<Name>> // each was read as the schema of its field says
}

/** An update without a change is most likely a typo. */
export function changesFrom<Name extends OperationName>(name: Name, fields: Fields, values: Values): Partial<Input<Name>> {
  const changes = inputFrom(name, fields, values)
  if (Object.keys(changes).length === 0) {
    const names = Object.keys(fields).map((option) => `--${option}`)
    throw new WrongUsage(`Nothing to change. Give at least one of ${names.join(', ')}.`)
  }
  return changes
}
