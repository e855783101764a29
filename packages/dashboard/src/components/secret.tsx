import { useState } from 'react'
import { IconButton } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

const MASK = '••••••••••••'

/** A value that is hidden by default. It can be copied without being shown. */
export function Secret({ value, label }: { value: string; label: string }) {
  const [shown, setShown] = useState(false)
  return (
    <span className="-my-1.5 flex min-w-0 items-center max-sm:mt-0">
      <code className="min-w-0 flex-1 truncate pr-1 font-mono text-[13px]" title={shown ? value : undefined}>
        {shown ? value : MASK}
      </code>
      <ShowButton label={label} shown={shown} onShow={setShown} />
      <CopyButton text={value} label={`Copy ${label}`} />
    </span>
  )
}

export function ShowButton({ label, shown, onShow }: { label: string; shown: boolean; onShow: (shown: boolean) => void }) {
  return (
    <IconButton
      icon={shown ? 'eye-off' : 'eye'}
      label={`${shown ? 'Hide' : 'Show'} ${label}`}
      aria-pressed={shown}
      onClick={() => onShow(!shown)}
    />
  )
}
