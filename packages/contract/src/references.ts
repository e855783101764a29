/** The source name that means the project itself. No app can have this slug. */
export const PROJECT_SOURCE = 'project'

/** The parts of a value. `source` is the slug of an app in the same project, or `project`. */
export type ValuePart =
  | { readonly is: 'text'; readonly written: string; readonly text: string }
  | { readonly is: 'reference'; readonly written: string; readonly source: string; readonly name: string }
  /** Text in the braces of a reference that does not have the right form. */
  | { readonly is: 'unreadable'; readonly written: string }

const MARK = /\$\$\{\{|\$\{\{([^{}]*)\}\}/g
const FORM = /^\s*([a-z0-9-]+)\.([A-Za-z_][A-Za-z0-9_.-]{0,255})\s*$/

/** Parses a value from left to right: `${{source.NAME}}` is a reference, and `$${{` is the text `${{`. */
export function* valueParts(value: string): Generator<ValuePart> {
  let at = 0
  for (const match of value.matchAll(MARK)) {
    const [written, inside] = match
    if (match.index > at) yield textPart(value.slice(at, match.index))
    at = match.index + written.length
    if (inside === undefined) {
      yield { is: 'text', written, text: written.slice(1) }
      continue
    }
    const [, source, name] = FORM.exec(inside) ?? []
    yield source === undefined || name === undefined ? { is: 'unreadable', written } : { is: 'reference', written, source, name }
  }
  if (at < value.length) yield textPart(value.slice(at))
}

function textPart(text: string): ValuePart {
  return { is: 'text', written: text, text }
}

export function referenceTo(source: string, name: string): string {
  return `\${{${source}.${name}}}`
}
