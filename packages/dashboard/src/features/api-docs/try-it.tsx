import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { paths } from '../../paths.ts'
import { curlFor, type Operation, pathWith } from './description.ts'
import { Sample } from './fields.tsx'

type Outcome = { status: number; text: string }

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

/** A request that the reader can change and send, as whoever is logged in. */
export function TryIt({ operation }: { operation: Operation }) {
  const json = operation.requestBody?.content['application/json']
  const examples = operation.parameters.map(({ name, example }) => [name, example === undefined ? '' : String(example)] as const)
  const [values, setValues] = useState<Readonly<Record<string, string>>>(Object.fromEntries(examples))
  const [body, setBody] = useState(json === undefined ? undefined : JSON.stringify(json.example ?? {}, undefined, 2))
  const [outcome, setOutcome] = useState<Outcome>()
  const [isSending, setIsSending] = useState(false)
  const path = pathWith(operation, values)

  async function send(): Promise<void> {
    setIsSending(true)
    try {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const response = await fetch(path, { method: operation.method, headers, ...(body !== undefined && { body }) })
      setOutcome({ status: response.status, text: pretty(await response.text()) })
    } catch {
      setOutcome({ status: 0, text: 'The server does not answer.' })
    }
    setIsSending(false)
  }

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-3">
        {operation.parameters.map(({ name }) => (
          <TextField key={name} label={name} mono value={values[name] ?? ''} onText={(text) => setValues({ ...values, [name]: text })} />
        ))}
        {body !== undefined && (
          <AreaField
            label="Request body"
            mono
            rows={Math.min(14, body.split('\n').length + 1)}
            value={body}
            onText={setBody}
            spellCheck={false}
          />
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button kind="primary" icon="play" pending={isSending} onClick={() => void send()}>
            Send request
          </Button>
          <span className="text-[13px] text-ink-soft">{operation.method === 'GET' ? 'Runs as you.' : 'Runs as you, on this server.'}</span>
        </div>
      </div>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-3">
        <Sample title="curl" text={curlFor(operation, { origin: location.origin, path, body })} />
        {outcome !== undefined && <Response outcome={outcome} />}
      </div>
    </div>
  )
}

function Response({ outcome: { status, text } }: { outcome: Outcome }) {
  return (
    <div role="status">
      <Sample title={status === 0 ? 'No response' : `Response ${status}`} text={text} />
      {status === 401 && (
        <p className="mt-1 text-[13px] text-ink-soft">
          You are not logged in.{' '}
          <Link to={paths.login()} search={{ next: paths.apiDocs() }} className="text-accent hover:underline">
            Log in
          </Link>
        </p>
      )}
    </div>
  )
}
