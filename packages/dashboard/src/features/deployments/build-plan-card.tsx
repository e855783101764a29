import type { BuildPlan, Deployment } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { buildPlan } from './queries.ts'

const COMMAND = { install: 'Install', build: 'Build', start: 'Start', release: 'Release' } as const

/** How a deployment was built and why. Nothing until that is decided, and for deployments that build nothing; so it stands at the end. */
export function BuildPlanCard({ deployment }: { deployment: Deployment }) {
  const { data: plan } = useQuery(buildPlan(deployment))
  if (!plan) return undefined
  return (
    <Card title="Build" note={plan.files.length === 0 ? undefined : `From ${plan.files.join(', ')}`}>
      <div className="grid gap-4">
        <PlanFacts plan={plan} />
        {plan.dockerfile !== '' && (
          <details className="group min-w-0">
            <summary className="cursor-pointer text-sm text-accent">Dockerfile</summary>
            <div className="mt-2 flex items-start gap-1 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2.5">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
              <pre tabIndex={0} aria-label="Dockerfile" className="max-h-96 min-w-0 flex-1 overflow-auto py-2 font-mono text-[13px]">
                {plan.dockerfile.trimEnd()}
              </pre>
              <CopyButton text={plan.dockerfile} label="Copy this Dockerfile" />
            </div>
            {plan.kind !== 'dockerfile' && (
              <p className="mt-1 text-[13px] text-ink-soft">Berth wrote it. Commit a copy as Dockerfile to build with your own.</p>
            )}
          </details>
        )}
      </div>
    </Card>
  )
}

function PlanFacts({ plan: { title, versions, commands, outputDirectory, port, notes } }: { plan: BuildPlan }) {
  return (
    <>
      <Facts>
        <Fact name="Type">{title}</Fact>
        {versions.map(({ name, version, from }) => (
          <Fact key={name} name={name}>
            {version} <From text={from} />
          </Fact>
        ))}
        {commands.map(({ name, command, from }) => (
          <Fact key={name} name={COMMAND[name]}>
            <code className="font-mono text-[13px]">{command}</code> <From text={from} />
          </Fact>
        ))}
        {outputDirectory !== '' && <Fact name="Output">{outputDirectory}</Fact>}
        {port !== null && <Fact name="Port">{port}</Fact>}
      </Facts>
      {notes.map((note) => (
        <p key={note} className="text-[13px] [overflow-wrap:anywhere] text-ink-soft">
          {note}
        </p>
      ))}
    </>
  )
}

function From({ text }: { text: string }) {
  return text === '' ? undefined : <span className="text-ink-soft">· {text}</span>
}
