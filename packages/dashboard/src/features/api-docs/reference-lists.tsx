import type { Description } from './description.ts'
import { Code, Fields, fieldsOf } from './fields.tsx'

type Props = { api: Description }

export function WebSockets({ api }: Props) {
  return (
    <section id="websockets" className="scroll-mt-4">
      <h2 className="text-lg font-semibold">WebSockets</h2>
      <p className="mb-3 text-sm text-ink-soft">
        They take the same cookie or bearer token. Each message is JSON with a type, a timestamp and data.
      </p>
      <ul className="space-y-2">
        {api['x-websockets'].map(({ path, summary, description }) => (
          <li key={path} className="rounded-lg border border-line bg-surface px-3 py-2.5 text-sm">
            <Code>{path}</Code>
            <p className="mt-1 text-ink-soft">
              {summary}. {description}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Errors({ api }: Props) {
  return (
    <section id="errors" className="scroll-mt-4">
      <h2 className="mb-3 text-lg font-semibold">Errors</h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {api['x-errors'].map(({ code, status, message }) => (
          <li key={code} className="px-3 py-1.5 text-[13px]">
            <span className="font-mono">{status}</span> <Code>{code}</Code> <span className="text-ink-soft">{message}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Types({ api }: Props) {
  return (
    <section id="types" className="scroll-mt-4">
      <h2 className="mb-3 text-lg font-semibold">Types</h2>
      <div className="space-y-4">
        {Object.entries(api.components.schemas).map(([name, schema]) => (
          <div key={name} id={`type-${name}`} className="scroll-mt-4">
            {schema.properties === undefined ? (
              <p className="text-[13px]">
                <span className="font-semibold">{name}</span>{' '}
                <span className="text-ink-soft">{schema.enum?.filter(Boolean).join(', ')}</span>
              </p>
            ) : (
              <Fields title={name} fields={fieldsOf(schema)} isAnswer />
            )}
          </div>
        ))}
      </div>
    </section>
  )
}
