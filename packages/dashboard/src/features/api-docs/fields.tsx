import type { ReactNode } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { linkedType, type Schema, typeOf } from './description.ts'

type Field = { name: string; schema: Schema; required: boolean; description?: string | undefined; place?: string }

export function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
    description: schema.description,
  }))
}

/** `code` and **bold**, and nothing else of Markdown. */
export function Words({ text }: { text: string }) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, at) => {
    const key = `${at}${part}`
    if (part.startsWith('`')) return <Code key={key}>{part.slice(1, -1)}</Code>
    return part.startsWith('**') ? <strong key={key}>{part.slice(2, -2)}</strong> : part
  })
}

export function Code({ children }: { children: ReactNode }) {
  return <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.92em] break-words">{children}</code>
}

export function Fields({ title, fields, isAnswer = false }: { title: string; fields: readonly Field[]; isAnswer?: boolean }) {
  if (fields.length === 0) return null
  return (
    <div>
      <h4 className="mb-1 text-[13px] font-semibold">{title}</h4>
      <ul className="divide-y divide-line rounded-md border border-line">
        {fields.map(({ name, schema, required, description, place }) => {
          const type = linkedType(schema)
          return (
            <li key={name} className="px-3 py-1.5 text-[13px]">
              <span className="font-mono font-medium">{name}</span>{' '}
              {type === undefined ? (
                <span className="text-ink-faint">{typeOf(schema)}</span>
              ) : (
                <a href={`#type-${type}`} className="text-accent underline">
                  {typeOf(schema)}
                </a>
              )}
              {place !== undefined && <span className="text-ink-faint"> in the {place}</span>}
              {!isAnswer && !required && <span className="text-ink-faint"> optional</span>}
              {description !== undefined && <span className="text-ink-soft"> · {description}</span>}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

export function Sample({ title, text, actions }: { title: string; text: string; actions?: ReactNode }) {
  return (
    <div className="min-w-0">
      <div className="flex min-h-9 items-center justify-between">
        <h4 className="text-[13px] font-semibold">{title}</h4>
        <div className="flex items-center gap-1">
          {actions}
          <CopyButton text={text} label={`Copy ${title.toLowerCase()}`} />
        </div>
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-[12.5px] leading-relaxed"
      >
        {text}
      </pre>
    </div>
  )
}
