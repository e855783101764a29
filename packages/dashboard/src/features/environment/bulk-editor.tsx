import {
  diffVariables,
  type EnvChange,
  type EnvVariable,
  formatDotenv,
  type ProjectVariable,
  parseDotenv,
  type Variable,
} from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { AreaField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { toast } from '../../components/toast.tsx'
import { classNames } from '../../lib/class-names.ts'
import { type FormFields, useForm } from '../../lib/use-form.ts'
import { useUnsavedWarning } from '../../lib/use-unsaved-warning.ts'
import { environmentKeys } from './queries.ts'

type Text = { text: string }

export function AppBulkEditor({ appId, variables, onDone }: { appId: number; variables: readonly EnvVariable[]; onDone: () => void }) {
  const client = useQueryClient()
  const form = useForm('envs.replace', {
    initial: { text: formatDotenv(variables) },
    input: ({ text }) => ({ appId, variables: parseDotenv(text).variables }),
    onDone: (answer) => {
      client.setQueryData(environmentKeys.ofApp(appId), answer)
      toast('Environment saved.')
      onDone()
    },
  })
  return <BulkEditor form={form} variables={variables} note="Values are shown here. Saving replaces the whole environment." />
}

type ProjectProps = { projectId: number; variables: readonly ProjectVariable[]; onDone: () => void }

export function ProjectBulkEditor({ projectId, variables, onDone }: ProjectProps) {
  const client = useQueryClient()
  const form = useForm('projectEnvs.replace', {
    initial: { text: formatDotenv(variables) },
    input: ({ text }) => ({ projectId, variables: parseDotenv(text).variables }),
    onDone: (answer) => {
      client.setQueryData(environmentKeys.ofProject(projectId), answer)
      toast('Variables saved.')
      onDone()
    },
  })
  return <BulkEditor form={form} variables={variables} note="Values are shown here. Saving replaces all variables of the project." />
}

type Props = {
  form: FormFields<Text> & ComponentProps<typeof Form>['form'] & { reset: (values: Text) => void; touched: boolean }
  variables: readonly Variable[]
  note: string
}

/** All variables as one text, with a preview of the changes. */
function BulkEditor({ form, variables, note }: Props) {
  useUnsavedWarning(form.touched)
  const { variables: wanted, problems } = parseDotenv(form.values.text)
  const changes = diffVariables(variables, wanted).filter(({ is }) => is !== 'same')
  return (
    <Card title="All variables" note={note}>
      <Form
        form={form}
        submit="Save"
        disabled={changes.length === 0 || problems.length > 0}
        beside={
          <Button onClick={() => form.reset({ text: formatDotenv(variables) })} disabled={!form.touched}>
            Reset
          </Button>
        }
      >
        <AreaField
          label="Variables, one per line"
          hideLabel
          mono
          rows={Math.min(Math.max(variables.length + 3, 8), 24)}
          spellCheck={false}
          autoComplete="off"
          placeholder={'KEY=value\nGREETING="hello world"'}
          {...form.field('text')}
          problem={problems[0] ? `Line ${problems[0].line}: ${problems[0].message}` : Object.values(form.problems)[0]}
        />
        <Changes changes={changes} />
      </Form>
    </Card>
  )
}

const LOOK = {
  added: { sign: '+', words: 'added', tone: 'text-good' },
  removed: { sign: '−', words: 'removed', tone: 'text-bad' },
  changed: { sign: '~', words: 'changed', tone: 'text-warn' },
  same: { sign: ' ', words: 'unchanged', tone: 'text-ink-soft' },
} as const satisfies Record<EnvChange['is'], { sign: string; words: string; tone: string }>

function Changes({ changes }: { changes: readonly EnvChange[] }) {
  if (changes.length === 0) return <p className="text-sm text-ink-soft">No changes</p>
  return (
    <div className="rounded-md border border-line bg-sunken p-3" aria-live="polite">
      <h3 className="mb-1 text-[13px] font-medium">Changes to save</h3>
      <ul className="font-mono text-[13px]">
        {changes.map(({ key, is }) => (
          <li key={key} className={classNames('flex gap-2', LOOK[is].tone)}>
            <span aria-hidden="true">{LOOK[is].sign}</span>
            <span className="min-w-0 break-all">
              {key} <span className="font-sans">{LOOK[is].words}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
