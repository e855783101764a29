import type { BuildPlan } from '@berth/contract'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { TextField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Spinner } from '../../components/spinner.tsx'
import type { FormFields } from '../../lib/use-form.ts'
import { type NewAppValues, withProcess } from './new-app-form.ts'
import type { usePlannedBuild } from './planned-build.ts'

type Props = {
  form: FormFields<NewAppValues>
  build: ReturnType<typeof usePlannedBuild>
  /** It decides how the app is built and started. */
  hasDockerfile: boolean
  /** What to do where nothing tells how to build it, if more is known than the problem. */
  choice: ReactNode
}

/** What a deployment would build and run: with the Dockerfile of the repository, or as detected, with a field to change each part of that. */
export function PlanFields({ form, build: { isAsking, planned, error }, hasDockerfile, choice }: Props) {
  if (planned === undefined) {
    if (error !== undefined) return <p className="text-[13px] text-ink-soft">Could not read the repository. {error}</p>
    return isAsking ? (
      <p className="flex items-center gap-1.5 text-[13px] text-ink-soft">
        <Spinner /> Reading the repository…
      </p>
    ) : undefined
  }
  const { plan, problem } = planned
  return (
    <fieldset className="grid gap-4 rounded-md border border-line p-3">
      <legend className="sr-only">Build</legend>
      <div aria-live="polite" className="grid gap-1 text-[13px]">
        {plan ? <Found plan={plan} form={form} /> : (choice ?? <Problem text={problem} />)}
        {isAsking && (
          <span className="flex items-center gap-1.5 text-ink-soft">
            <Spinner /> Checking…
          </span>
        )}
      </div>
      {!hasDockerfile && (plan !== null || choice === undefined) && <Steering plan={plan} form={form} />}
    </fieldset>
  )
}

type FoundProps = { plan: BuildPlan; form: FormFields<NewAppValues> }

function Found({ plan, form }: FoundProps) {
  const { title, files, versions, port, notes } = plan
  const isOwn = plan.builder === 'dockerfile'
  return (
    <>
      <p className="mb-1 flex items-start gap-1.5 text-sm font-medium text-good">
        <Icon name="check" /> {isOwn ? 'Dockerfile found' : title}
      </p>
      <Facts>
        <Fact name={isOwn ? 'Dockerfile' : 'Detected from'}>
          <Code>{files.join(', ')}</Code>
        </Fact>
        {versions.map(({ name, version, from }) => (
          <Fact key={name} name={name}>
            <Code>{version}</Code> <From text={from} />
          </Fact>
        ))}
        {isOwn && <Start plan={plan} />}
        {port !== null && <Fact name="Port">{port}</Fact>}
        <Processes plan={plan} form={form} />
      </Facts>
      {plan.processes !== undefined && plan.processes.length > 0 && (
        <p className="text-ink-soft">Choose how many of each process run under Processes below.</p>
      )}
      {notes.map((note) => (
        <p key={note} className="[overflow-wrap:anywhere] text-ink-soft">
          {note}
        </p>
      ))}
    </>
  )
}

function Code({ children }: { children: string }) {
  return <code className="font-mono text-[13px]">{children}</code>
}

function From({ text }: { text: string }) {
  return text === '' ? undefined : <span className="text-ink-soft">({text})</span>
}

function Start({ plan: { commands } }: { plan: BuildPlan }) {
  const start = commands.find(({ name }) => name === 'start')
  return <Fact name="Start">{start ? <Code>{start.command}</Code> : 'The command of the base image'}</Fact>
}

/** What else the repository runs. A process runs if it has a row among those of the form. */
function Processes({ plan: { processes = [], commands }, form: { values, set } }: FoundProps) {
  const release = commands.find(({ name }) => name === 'release')
  return (
    <>
      {release && (
        <Fact name="Before each release">
          <Code>{release.command}</Code> <From text={release.from} />
        </Fact>
      )}
      {processes.map(({ name, command, from }) => (
        <Fact key={name} name={`Process ${name}`}>
          <Code>{command}</Code> <From text={from} />{' '}
          {values.processes.every((row) => row.name.trim() !== name) && (
            <Button className="py-0.5" onClick={() => set('processes', withProcess(values.processes, name))}>
              Run {name}
            </Button>
          )}
        </Fact>
      ))}
    </>
  )
}

function Problem({ text }: { text: string }) {
  return (
    <span className="flex items-start gap-1.5 text-warn">
      <Icon name="alert" />
      <span className="[overflow-wrap:anywhere]">{text}</span>
    </span>
  )
}

const LABEL = { install: 'Install command', build: 'Build command', start: 'Start command' } as const
const KEY = { install: 'installCommand', build: 'buildCommand', start: 'startCommand' } as const

/** A site of files is not started, and a program has no output directory. */
function Steering({ plan, form: { field } }: { plan: BuildPlan | null; form: FormFields<NewAppValues> }) {
  const isSite = plan !== null && plan.outputDirectory !== ''
  const names = ['install', 'build', ...(isSite ? [] : (['start'] as const))] as const
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {names.map((name) => {
        const found = plan?.commands.find((each) => each.name === name)
        return (
          <TextField
            key={name}
            label={LABEL[name]}
            mono
            spellCheck={false}
            placeholder={found?.command ?? 'None'}
            hint={found === undefined ? undefined : `From ${found.from}`}
            {...field(KEY[name])}
          />
        )
      })}
      {isSite && <TextField label="Output directory" mono placeholder={plan.outputDirectory} {...field('outputDirectory')} />}
    </div>
  )
}
