import { TextField } from '../../components/field.tsx'
import { SourceFields } from '../apps/source-fields.tsx'
import { BuildFields } from './build-fields.tsx'
import { type NewAppValues, nameFromUrl, type SetValue } from './new-app-form.ts'
import { TemplatePicker } from './template-picker.tsx'

type Props = {
  projectId: number
  values: NewAppValues
  set: SetValue
  problems: Record<string, string>
}

const PORT_HINT = {
  web: 'Where the app listens. It is given to it as PORT.',
  service: 'Empty if it listens nowhere.',
  compose: 'The service that has this port gets the address.',
} as const

export function DetailFields({ projectId, values, set, problems }: Props) {
  const name = <TextField label="Name" value={values.name} onText={(text) => set('name', text)} problem={problems['name']} />
  if (values.appType === 'database') {
    return (
      <div className="grid gap-4">
        <TemplatePicker
          value={values.templateName}
          onPick={(picked) => {
            if (values.name === '' || values.name === values.templateName) set('name', picked)
            set('templateName', picked)
          }}
        />
        {name}
      </div>
    )
  }
  return (
    <div className="grid gap-4">
      <SourceFields
        projectId={projectId}
        url={values.gitCloneUrl}
        branch={values.gitBranch}
        onUrl={(url) => {
          if (values.name === nameFromUrl(values.gitCloneUrl)) set('name', nameFromUrl(url))
          set('gitCloneUrl', url)
        }}
        onBranch={(branch) => set('gitBranch', branch)}
        problems={problems}
      />
      <BuildFields projectId={projectId} values={values} set={set} problems={problems} />
      <div className="grid gap-4 sm:grid-cols-2">
        {name}
        <TextField
          label="Port"
          inputMode="numeric"
          hint={PORT_HINT[values.appType]}
          value={values.port}
          onText={(text) => set('port', text)}
          problem={problems['port']}
        />
      </div>
    </div>
  )
}
