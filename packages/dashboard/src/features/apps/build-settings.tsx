import type { Application } from '@berth/contract'
import { Card } from '../../components/card.tsx'
import { AreaField, CheckField, SelectField, TextField } from '../../components/field.tsx'
import type { FormFields } from '../../lib/use-form.ts'
import type { SettingsValues } from './settings-values.ts'

const BUILDERS = [
  { value: 'auto', label: 'Automatic' },
  { value: 'dockerfile', label: 'Dockerfile' },
  { value: 'static', label: 'Static site' },
] as const

type Props = { app: Application; form: FormFields<SettingsValues> }

/** How an app is built from its repository. A compose file says most of it itself. */
export function BuildSettings({ app, form }: Props) {
  const { values, set, field } = form
  if (values.via === 'image') return <ReleaseCommand form={form} />
  const isCompose = app.app_type === 'compose'
  return (
    <Card title="Build" note={isCompose ? undefined : 'Leave a field empty to use what is detected.'}>
      <div className="grid gap-4">
        {!isCompose && <Commands form={form} />}
        <div className="grid gap-2">
          <CheckField label="Fetch submodules" checked={values.submodules} onCheck={(isOn) => set('submodules', isOn)} />
          <CheckField label="Fetch Git LFS files" checked={values.lfs} onCheck={(isOn) => set('lfs', isOn)} />
        </div>
        {!isCompose && (
          <AreaField
            label="Build arguments"
            mono
            rows={2}
            spellCheck={false}
            placeholder="VITE_API_URL=https://api.example.com"
            hint="One NAME=VALUE per line. Not secret: anyone with the image can read them."
            {...field('buildArgs')}
          />
        )}
      </div>
    </Card>
  )
}

function Commands({ form: { values, set, field, problems } }: Pick<Props, 'form'>) {
  const builder = values.builder === 'image' ? 'auto' : values.builder
  const command = { mono: true, spellCheck: false } as const
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Builder"
        options={BUILDERS}
        value={builder}
        problem={problems['builder']}
        onPick={(picked) => set('builder', picked)}
        hint="Automatic uses the Dockerfile, or detects the framework without one."
      />
      <TextField label="Dockerfile stage" hint="Leave empty for the last stage." {...command} {...field('buildTarget')} />
      <TextField label="Install command" {...command} {...field('installCommand')} />
      <TextField label="Build command" {...command} {...field('buildCommand')} />
      <TextField label="Start command" {...command} {...field('startCommand')} />
      <TextField label="Output directory" hint="The directory a static site is served from." {...command} {...field('outputDirectory')} />
      <TextField
        label="Release command"
        hint="Runs before a release goes live, for example migrations."
        {...command}
        {...field('releaseCommand')}
      />
    </div>
  )
}

function ReleaseCommand({ form: { field } }: Pick<Props, 'form'>) {
  return (
    <Card title="Release">
      <TextField
        label="Release command"
        hint="Runs before a release goes live, for example migrations."
        mono
        spellCheck={false}
        {...field('releaseCommand')}
      />
    </Card>
  )
}
