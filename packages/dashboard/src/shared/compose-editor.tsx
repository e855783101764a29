import type { StackPlan } from '@berth/contract'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AreaField } from '../components/field.tsx'
import { Spinner } from '../components/spinner.tsx'
import { useSettled } from '../lib/use-settled.ts'
import { PlanWords } from './compose-plan.tsx'

type Check = {
  text: string
  /** All that the answer depends on. */
  key: unknown
  ask: (text: string) => Promise<StackPlan>
}

function checked({ text, key, ask }: Check) {
  return queryOptions({
    queryKey: ['compose-check', key, text],
    queryFn: async () => await ask(text),
    retry: false,
    staleTime: 60_000,
    gcTime: 60_000,
  })
}

/** Checks a text once nobody has typed for a moment. The last answer stays while the next one is on its way. */
export function useComposeCheck({ text, key, ask }: Check) {
  const settled = useSettled(text)
  const settledKey = useSettled(JSON.stringify(key))
  const isEmpty = settled.trim() === ''
  const query = useQuery({
    ...checked({ text: settled, key: settledKey, ask }),
    enabled: !isEmpty,
    placeholderData: (before: StackPlan | undefined) => before,
  })
  const isChecking = settled !== text || settledKey !== JSON.stringify(key) || query.isFetching
  return { plan: isEmpty ? undefined : query.data, isChecking: isChecking && text.trim() !== '', error: isEmpty ? null : query.error }
}

type Props = {
  text: string
  onText: (text: string) => void
  check: ReturnType<typeof useComposeCheck>
  problem?: string | undefined
  disabled?: boolean
  addVariable?: (name: string) => { to: string; search: Record<string, string> }
  /** Below what the file needs. */
  children?: ReactNode
}

const EXAMPLE = 'services:\n  web:\n    image: nginx:1\n    expose: [80]'

/** A compose file as text, with what a deployment would make of it below. */
export function ComposeEditor({ text, onText, check, problem, disabled = false, addVariable, children }: Props) {
  return (
    <div className="grid gap-4">
      <AreaField
        label="Compose file"
        mono
        rows={14}
        wrap="off"
        placeholder={EXAMPLE}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        maxLength={262_144}
        disabled={disabled}
        value={text}
        onText={onText}
        problem={problem}
        hint="Every service needs an image. The file is checked while you type."
      />
      <div aria-live="polite" aria-busy={check.isChecking} className="min-h-5">
        {check.isChecking && !check.plan && (
          <span className="flex items-center gap-1.5 text-[13px] text-ink-soft">
            <Spinner /> Checking…
          </span>
        )}
        {check.error && <p className="text-sm text-bad">{check.error.message}</p>}
        {check.plan && <PlanWords plan={check.plan} {...(addVariable && { addVariable })} />}
      </div>
      {children}
    </div>
  )
}
