import { useState } from 'react'
import { type Description, type Operation, resolve } from './description.ts'
import { Fields, fieldsOf, Sample, Words } from './fields.tsx'
import { TryIt } from './try-it.tsx'

const LOOK = new Map([
  ['GET', 'bg-accent-soft text-accent'],
  ['POST', 'bg-good-soft text-good'],
  ['PUT', 'bg-warn-soft text-warn'],
  ['DELETE', 'bg-bad-soft text-bad'],
])

function Refusals({ operation }: { operation: Operation }) {
  const refused = Object.entries(operation.responses).filter(([status]) => status.startsWith('4'))
  return (
    <div>
      <h4 className="mb-1 text-[13px] font-semibold">Errors</h4>
      <ul className="space-y-1 text-[13px] text-ink-soft">
        {refused.flatMap(([status, { description = '' }]) =>
          description.split('\n\n').map((line) => (
            <li key={line}>
              <span className="font-mono">{status}</span> <Words text={line} />
            </li>
          )),
        )}
      </ul>
    </div>
  )
}

function Facts({ operation, description }: { operation: Operation; description: Description }) {
  const parameters = operation.parameters.map((parameter) => ({ ...parameter, place: parameter.in }))
  const body = resolve(description, operation.requestBody?.content['application/json']?.schema)
  const answer = operation.responses['200']?.content?.['application/json']?.example
  return (
    <div className="space-y-4 border-t border-line p-4">
      <p className="text-sm text-ink-soft">{operation.description}</p>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
        <div className="min-w-0 space-y-4">
          <Fields title="Parameters" fields={parameters} />
          <Fields title="Request body" fields={fieldsOf(body)} />
          <Refusals operation={operation} />
        </div>
        {answer !== undefined && <Sample title="Example response" text={JSON.stringify(answer, undefined, 2)} />}
      </div>
      <div className="border-t border-line pt-4">
        <h4 className="mb-3 text-sm font-semibold">Try it</h4>
        <TryIt operation={operation} />
      </div>
    </div>
  )
}

/** One operation: a line that opens. What is inside is made when it is opened. */
export function OperationDetails({ operation, description }: { operation: Operation; description: Description }) {
  const [isOpen, setIsOpen] = useState(decodeURIComponent(location.hash) === `#${operation.operationId}`)
  return (
    <details
      id={operation.operationId}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="scroll-mt-4 rounded-lg border border-line bg-surface"
    >
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-3 py-2.5 hover:bg-sunken">
        <span
          className={`w-16 shrink-0 rounded py-0.5 text-center font-mono text-xs font-semibold ${LOOK.get(operation.method) ?? 'bg-sunken'}`}
        >
          {operation.method}
        </span>
        <code className="min-w-0 font-mono text-[13px] break-all">{operation.path}</code>
        <span className="min-w-0 text-sm text-ink-soft max-sm:basis-full">{operation.summary}</span>
      </summary>
      {isOpen && <Facts operation={operation} description={description} />}
    </details>
  )
}
