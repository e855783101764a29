import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { AreaField, CheckField, SelectField, TextField } from '../../components/field.tsx'
import type { FormFields } from '../../lib/use-form.ts'
import { buildPlan, liveDeployment } from '../deployments/queries.ts'
import type { SettingsValues } from './settings-values.ts'

const BUILDERS = [
  { value: 'auto', label: 'Automatic' },
  { value: 'dockerfile', label: 'Dockerfile' },
  { value: 'static', label: 'Static site' },
] as const

type Props = { app: Application; form: FormFields<SettingsValues> }

/** How an app is built from its repository. A compose file says most of it itself. */
export function BuildSettings({ app, form }: Props) {
  if (form.values.via === 'image') return <ReleaseCommand form={form} />
  const isCompose = app.app_type === 'compose'
  return (
    <Card title="Build" note={isCompose ? undefined : 'Leave a field empty to use what is detected.'}>
      <div className="grid gap-4">
        {!isCompose && <Commands app={app} form={form} />}
        {isCompose ? <FetchFields form={form} /> : <MoreFields form={form} />}
      </div>
    </Card>
  )
}

function FetchFields({ form: { values, set } }: Pick<Props, 'form'>) {
  return (
    <div className="grid gap-2">
      <CheckField label="Fetch submodules" checked={values.submodules} onCheck={(isOn) => set('submodules', isOn)} />
      <CheckField label="Fetch Git LFS files" checked={values.lfs} onCheck={(isOn) => set('lfs', isOn)} />
    </div>
  )
}

/** What few apps need: folded, unless it is in use. */
function MoreFields({ form }: Pick<Props, 'form'>) {
  const { values, field } = form
  const [isInUse] = useState(values.buildTarget !== '' || values.submodules || values.lfs || values.buildArgs !== '')
  return (
    <details open={isInUse} className="text-sm">
      <summary className="w-fit text-accent">More build settings</summary>
      <div className="mt-3 grid gap-4">
        <TextField label="Dockerfile stage" hint="Leave empty for the last stage." mono spellCheck={false} {...field('buildTarget')} />
        <FetchFields form={form} />
        <AreaField
          label="Build arguments"
          mono
          rows={2}
          spellCheck={false}
          placeholder="VITE_API_URL=https://api.example.com"
          hint="One NAME=VALUE per line. Not secret: anyone with the image can read them."
          {...field('buildArgs')}
        />
      </div>
    </details>
  )
}

const NOTHING = { id: 0, stage: '', status: 'success' } as const

/** How a plan names the source of a command that was not detected. */
const SET_HERE = 'the settings'

/** What was detected for the live release. */
function useDetected({ id }: Application): Record<'install' | 'build' | 'start', string> {
  const { data: live } = useQuery(liveDeployment(id))
  const { data: plan } = useQuery({ ...buildPlan(live ?? NOTHING), enabled: Boolean(live) })
  const commandOf = (wanted: string) => plan?.commands.find(({ name, from }) => name === wanted && from !== SET_HERE)?.command ?? ''
  return { install: commandOf('install'), build: commandOf('build'), start: commandOf('start') }
}

function Commands({ app, form: { values, set, field, problems } }: Props) {
  const found = useDetected(app)
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
      <TextField label="Install command" placeholder={found.install} {...command} {...field('installCommand')} />
      <TextField label="Build command" placeholder={found.build} {...command} {...field('buildCommand')} />
      <TextField label="Start command" placeholder={found.start} {...command} {...field('startCommand')} />
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
