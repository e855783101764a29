import type { StackPlan } from '@berth/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Tag } from '../components/badge.tsx'
import { Icon } from '../components/icon.tsx'
import { plural } from '../lib/sizes.ts'

type Variable = StackPlan['variables'][number]
type Props = {
  plan: StackPlan
  /** Where a variable is added, for an app that is there. */
  addVariable?: (name: string) => { to: string; search: Record<string, string> }
}

/** What a deployment makes of a compose file: what it refuses, what it runs, what it leaves out, and which variables it reads. */
export function PlanWords({ plan, addVariable }: Props) {
  const { isAccepted, services, notes, refused, variables } = plan
  return (
    <div className="grid gap-4 text-sm">
      <p className={isAccepted ? 'flex items-start gap-1.5 text-good' : 'flex items-start gap-1.5 text-bad'}>
        <Icon name={isAccepted ? 'check' : 'alert'} />
        {isAccepted ? 'This file can be deployed.' : `This file cannot be deployed: ${plural(refused.length, 'problem')}.`}
      </p>
      {refused.length > 0 && (
        <ul className="grid gap-1 text-bad">
          {refused.map(({ key, reason }) => (
            <li key={`${key} ${reason}`} className="[overflow-wrap:anywhere]">
              {reason}
            </li>
          ))}
        </ul>
      )}
      {services.length > 0 && (
        <Part title="Services">
          <ul className="grid gap-1">
            {services.map((service) => (
              <ServiceLine key={service.name} service={service} />
            ))}
          </ul>
        </Part>
      )}
      {variables.length > 0 && (
        <Part title="Variables">
          <ul className="grid gap-1">
            {variables.map((variable) => (
              <li key={variable.name} className="[overflow-wrap:anywhere]">
                <code className="font-mono text-[13px]">{variable.name}</code> <VariableWords variable={variable} />
                {!variable.isSet && addVariable && (
                  <Link {...addVariable(variable.name)} className="ml-2 text-accent hover:underline">
                    Set value
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {notes.length > 0 && (
        <Part title="Ignored or changed">
          <ul className="grid list-disc gap-1 pl-5 text-ink-soft">
            {notes.map((note) => (
              <li key={note} className="[overflow-wrap:anywhere]">
                {note}
              </li>
            ))}
          </ul>
        </Part>
      )}
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 text-[13px] font-medium">{title}</h3>
      {children}
    </section>
  )
}

function ServiceLine({ service: { name, isBuilt, image, replicas, isRouted } }: { service: StackPlan['services'][number] }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <span className="font-medium">{name}</span>
      <code className="min-w-0 font-mono text-[13px] text-ink-soft [overflow-wrap:anywhere]">
        {isBuilt ? 'built from the repository' : image}
      </code>
      {replicas > 1 && <span className="text-ink-soft">{plural(replicas, 'replica')}</span>}
      {isRouted && <Tag>Public</Tag>}
    </li>
  )
}

function VariableWords({ variable: { isSet, isRequired, default: fallback, message } }: { variable: Variable }) {
  if (isSet) return <span className="text-ink-soft">set</span>
  if (isRequired) return <span className="text-bad">required{message !== '' && `: ${message}`}</span>
  return <span className="text-ink-soft">{fallback === null || fallback === '' ? 'not set' : `not set, defaults to ${fallback}`}</span>
}
