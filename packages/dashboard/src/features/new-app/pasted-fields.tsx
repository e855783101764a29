import { parseDotenv, type StackPlan } from '@berth/contract'
import { TextField } from '../../components/field.tsx'
import { call } from '../../lib/api.ts'
import type { FormFields } from '../../lib/use-form.ts'
import { ComposeEditor, useComposeCheck } from '../../shared/compose-editor.tsx'
import { type NewAppValues, withVariable } from './new-app-form.ts'

type Props = { projectId: number; form: FormFields<NewAppValues> }

/** A compose file that comes without a repository: its text, what becomes of it, and the variables that it needs. */
export function PastedFields({ projectId, form: { values, set, problems } }: Props) {
  const envVars = Object.fromEntries(parseDotenv(values.env).variables.map(({ key, value }) => [key, value]))
  const port = /^\d{1,5}$/.test(values.port.trim()) ? Number(values.port) : null
  const check = useComposeCheck({
    text: values.composeFile,
    key: [projectId, port, envVars],
    ask: (composeFile) => call('stacks.planNew', { projectId, composeFile, port, envVars }),
  })
  return (
    <ComposeEditor text={values.composeFile} onText={(text) => set('composeFile', text)} check={check} problem={problems['composeFile']}>
      <NeededVariables variables={check.plan?.variables ?? []} env={values.env} onEnv={(env) => set('env', env)} />
    </ComposeEditor>
  )
}

type NeededProps = { variables: StackPlan['variables']; env: string; onEnv: (env: string) => void }

function NeededVariables({ variables, env, onEnv }: NeededProps) {
  const set = new Map(parseDotenv(env).variables.map(({ key, value }) => [key, value]))
  const asked = variables.filter(({ isRequired, default: fallback }) => isRequired || fallback === null)
  if (asked.length === 0) return undefined
  return (
    <fieldset className="grid gap-4 sm:grid-cols-2">
      <legend className="mb-2 text-[13px] font-medium">Variables of this file</legend>
      {asked.map(({ name, message, isRequired }) => (
        <TextField
          key={name}
          label={name}
          mono
          autoComplete="off"
          spellCheck={false}
          hint={message || (isRequired ? 'Needed' : 'Optional')}
          value={set.get(name) ?? ''}
          onText={(value) => onEnv(withVariable(env, name, value))}
        />
      ))}
    </fieldset>
  )
}
