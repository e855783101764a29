import { TextField } from '../../components/field.tsx'
import { PORT_HINTS } from '../../lib/status.ts'
import type { FormFields } from '../../lib/use-form.ts'
import { SourceFields } from '../../shared/source-fields.tsx'
import { type ChosenSource, cloneOf } from '../../shared/source-values.ts'
import { BuildFields } from './build-fields.tsx'
import { isImage, isPasted, type NewAppValues, nameFromImage, nameFromUrl } from './new-app-form.ts'
import { PastedFields } from './pasted-fields.tsx'
import { TemplatePicker } from './template-picker.tsx'

type Props = { projectId: number; form: FormFields<NewAppValues>; onLeave: () => void }

export function DetailFields({ projectId, form, onLeave }: Props) {
  const { values, set, field } = form
  const name = <TextField label="Name" {...field('name')} />
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
        value={values}
        mayBeImage={values.appType === 'web' || values.appType === 'service'}
        onChange={(change) => {
          const next = nameFor(change)
          const isOwnName = values.name !== (isImage(values) ? nameFromImage(values.image) : nameFromUrl(cloneOf(values).url))
          form.patch(next === undefined || isOwnName ? change : { ...change, name: next })
        }}
        problems={form.problems}
        onLeave={onLeave}
        {...(values.appType === 'compose' && {
          pasted: {
            label: 'Paste a file',
            isPicked: isPasted(values),
            onPick: (isPicked) => set('composeFrom', isPicked ? 'text' : 'repository'),
            fields: <PastedFields projectId={projectId} form={form} />,
          },
        })}
      />
      {!isImage(values) && !isPasted(values) && <BuildFields projectId={projectId} form={form} />}
      <div className="grid gap-4 sm:grid-cols-2">
        {name}
        <TextField label="Port" inputMode="numeric" hint={PORT_HINTS[values.appType]} {...field('port')} />
      </div>
    </div>
  )
}

/** The name that a newly chosen source suggests. */
function nameFor({ image, repositoryUrl, gitCloneUrl }: Partial<ChosenSource>): string | undefined {
  if (image !== undefined) return nameFromImage(image)
  const url = repositoryUrl ?? gitCloneUrl
  return url === undefined ? undefined : nameFromUrl(url)
}
