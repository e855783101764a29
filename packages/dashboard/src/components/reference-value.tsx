import { PROJECT_SOURCE, type ValuePart, valueParts } from '@berth/contract'
import { useState } from 'react'
import { classNames } from '../lib/class-names.ts'
import { CopyButton } from './copy-button.tsx'
import { Secret, ShowButton } from './secret.tsx'

const MASK = '••••'

/** The app (or the project) and what is taken from it. */
export function ReferenceChip({ source, name }: { source: string; name: string }) {
  return (
    <code
      className="inline-block max-w-full truncate rounded bg-accent-soft px-1.5 py-0.5 align-bottom font-mono text-[13px] text-accent"
      title={source === PROJECT_SOURCE ? `${name} of this project` : `${name} of the app ${source}`}
    >
      {name} <span className="font-sans">from {source === PROJECT_SOURCE ? 'the project' : source}</span>
    </code>
  )
}

/** The value of a variable. References are shown, because they are not secret; the text around them is hidden by default. */
export function VariableValue({ value, label }: { value: string; label: string }) {
  const parts = [...valueParts(value)]
  if (!parts.some(({ is }) => is === 'reference')) return <Secret value={value} label={label} />
  return <MixedValue parts={parts} value={value} label={label} />
}

function MixedValue({ parts, value, label }: { parts: readonly ValuePart[]; value: string; label: string }) {
  const [shown, setShown] = useState(false)
  const hasText = parts.some(({ is }) => is !== 'reference')
  return (
    <span className="-my-1.5 flex min-w-0 items-center max-sm:mt-0">
      <span className={classNames('min-w-0 flex-1 pr-1 font-mono text-[13px]', shown ? 'break-all' : 'truncate')}>
        {parts.map((part, at) => {
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a value have no ids, and never change their order
          if (part.is === 'reference') return <ReferenceChip key={at} source={part.source} name={part.name} />
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          return <span key={at}>{shown ? part.written : MASK}</span>
        })}
      </span>
      {hasText && <ShowButton label={label} shown={shown} onShow={setShown} />}
      <CopyButton text={value} label={`Copy ${label}`} />
    </span>
  )
}
