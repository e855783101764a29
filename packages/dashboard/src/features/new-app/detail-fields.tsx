import { TextField } from '../../components/field.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { PORT_HINTS } from '../../lib/status.ts'
import type { FormFields } from '../../lib/use-form.ts'
import { SourceFields } from '../../shared/source-fields.tsx'
import { type ChosenSource, cloneOf } from '../../shared/source-values.ts'
import { BuildFields } from './build-fields.tsx'
import { isImage, isPasted, type NewAppValues, nameFromImage, nameFromUrl } from './new-app-form.ts'
import { PastedFields } from './pasted-fields.tsx'
import { TemplatePicker } from './template-picker.tsx'

type Props = { projectId: number; form: FormFields<NewAppValues>; onLeave: () => void }

const ORIGINS = [
  { value: 'repository', label: 'From a repository' },
  { value: 'text', label: 'Paste a file' },
] as const

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
  const nameAndPort = (
    <div className="grid gap-4 sm:grid-cols-2">
      {name}
      <TextField label="Port" inputMode="numeric" hint={PORT_HINTS[values.appType]} {...field('port')} />
    </div>
  )
  const origin = values.appType === 'compose' && (
    <div>
      <Segmented label="Compose file" options={ORIGINS} value={values.composeFrom} onPick={(from) => set('composeFrom', from)} />
    </div>
  )
  if (isPasted(values))
    return (
      <div className="grid gap-4">
        {origin}
        {nameAndPort}
        <PastedFields projectId={projectId} form={form} />
      </div>
    )
  return (
    <div className="grid gap-4">
      {origin}
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
      />
      {!isImage(values) && <BuildFields projectId={projectId} form={form} />}
      {nameAndPort}
    </div>
  )
}

/** The name that a newly chosen source suggests. */
function nameFor({ image, repositoryUrl, gitCloneUrl }: Partial<ChosenSource>): string | undefined {
  if (image !== undefined) return nameFromImage(image)
  const url = repositoryUrl ?? gitCloneUrl
  return url === undefined ? undefined : nameFromUrl(url)
}
