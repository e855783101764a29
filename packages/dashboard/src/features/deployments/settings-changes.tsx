import type { Deployment, DeploymentComparison } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { QueryView } from '../../components/query-view.tsx'
import type { Tone } from '../../lib/status.ts'
import { comparison } from './queries.ts'

type Is = DeploymentComparison['environment'][number]['is']
const LOOK = {
  added: { label: 'Added', tone: 'good' },
  changed: { label: 'Changed', tone: 'warn' },
  removed: { label: 'Removed', tone: 'bad' },
} as const satisfies Record<Is, { label: string; tone: Tone }>

/** What two deployments were started with, where it differs. */
export function SettingsChanges({ before, after }: { before: Deployment; after: Deployment }) {
  const query = useQuery(comparison(before.id, after.id))
  return (
    <QueryView query={query}>
      {({ settings, environment, notKept }) =>
        notKept.length > 0 ? (
          <p className="text-sm text-ink-soft">
            Settings and environment cannot be compared: they are kept for releases that you can roll back to, and not for{' '}
            {[before, after]
              .filter(({ id }) => notKept.includes(id))
              .map(({ deployment_number }) => `#${deployment_number}`)
              .join(' and ')}
            .
          </p>
        ) : (
          <div className="grid gap-6 md:grid-cols-2">
            <Settings settings={settings} />
            <Environment environment={environment} />
          </div>
        )
      }
    </QueryView>
  )
}

function Settings({ settings }: Pick<DeploymentComparison, 'settings'>) {
  return (
    <section className="min-w-0 text-sm">
      <h3 className="mb-2 font-semibold">Settings</h3>
      {settings.length === 0 && <p className="text-ink-soft">No differences</p>}
      <ul className="grid gap-1.5">
        {settings.map(({ name, before, after }) => (
          <li key={name} className="[overflow-wrap:anywhere]">
            <span className="text-ink-soft">{name}:</span> {before || 'not set'} →{' '}
            <span className="font-semibold">{after || 'not set'}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Environment({ environment }: Pick<DeploymentComparison, 'environment'>) {
  return (
    <section className="min-w-0 text-sm">
      <h3 className="mb-2 font-semibold">Environment</h3>
      {environment.length === 0 && <p className="text-ink-soft">No differences</p>}
      <ul className="grid gap-1.5">
        {environment.map(({ key, is }) => (
          <li key={key} className="flex min-w-0 items-center gap-2">
            <code className="min-w-0 truncate font-mono text-[13px]">{key}</code>
            <Badge look={LOOK[is]} />
          </li>
        ))}
      </ul>
    </section>
  )
}
