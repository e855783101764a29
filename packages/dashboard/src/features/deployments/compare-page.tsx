import type { Deployment } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { SelectField } from '../../components/field.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { EmptyState } from '../../components/states.tsx'
import { classNames } from '../../lib/class-names.ts'
import { useIdParam, useSearchState } from '../../lib/route-state.ts'
import { DEPLOYMENT_LOOK, TRIGGER_WORDS } from '../../lib/status.ts'
import { durationWords } from '../../lib/time.ts'
import { paths } from '../../paths.ts'
import { deploymentsOfApp } from './queries.ts'
import { RollbackButton } from './rollback-button.tsx'

type Line = { name: string; text: (deployment: Deployment) => string; show?: (deployment: Deployment) => ReactNode }

const LINES: readonly Line[] = [
  { name: 'Status', text: ({ status }) => status, show: ({ status }) => <Badge look={DEPLOYMENT_LOOK[status]} /> },
  { name: 'Live', text: ({ is_active }) => (is_active ? 'Yes' : 'No') },
  {
    name: 'Commit',
    text: ({ commit_hash }) => commit_hash,
    show: ({ commit_hash }) => (
      <code className="font-mono text-[13px]" title={commit_hash}>
        {commit_hash.slice(0, 12) || '–'}
      </code>
    ),
  },
  { name: 'Message', text: ({ commit_message }) => commit_message },
  { name: 'Author', text: ({ commit_author }) => commit_author },
  { name: 'Started', text: ({ created_at }) => created_at, show: ({ created_at }) => <RelativeTime at={created_at} /> },
  { name: 'Trigger', text: ({ trigger }) => TRIGGER_WORDS[trigger].label },
  { name: 'Duration', text: ({ duration, finished_at }) => (finished_at === null ? '–' : durationWords(duration)) },
  { name: 'Error', text: ({ error_message }) => error_message },
]

export function ComparePage() {
  const appId = useIdParam('appId')
  const [from, setFrom] = useSearchState('from')
  const [to, setTo] = useSearchState('to')
  return (
    <Card title="Compare two deployments" actions={<ButtonLink to={paths.deployments(appId)}>All deployments</ButtonLink>}>
      <QueryView query={useQuery(deploymentsOfApp(appId))} empty={<EmptyState icon="rocket" title="No deployments yet" />}>
        {(list) => {
          const options = list.map(({ id, deployment_number }) => ({ value: String(id), label: `#${deployment_number}` }))
          const older = list.find(({ id }) => String(id) === from) ?? list[1] ?? list[0]
          const newer = list.find(({ id }) => String(id) === to) ?? list[0]
          if (!older || !newer) return null
          return (
            <table className="w-full table-fixed text-left text-sm">
              <thead>
                <tr className="align-bottom">
                  <td className="w-24 pb-3 sm:w-32" />
                  <th scope="col" className="pr-3 pb-3 font-normal">
                    <SelectField label="Before" value={String(older.id)} options={options} onPick={setFrom} />
                  </th>
                  <th scope="col" className="pb-3 font-normal">
                    <SelectField label="After" value={String(newer.id)} options={options} onPick={setTo} />
                  </th>
                </tr>
              </thead>
              <tbody className="divide-y divide-line border-t border-line">
                {LINES.map((line) => (
                  <CompareRow key={line.name} line={line} pair={[older, newer]} />
                ))}
                <tr>
                  <td />
                  <td className="py-3 pr-3">
                    <RollbackButton deployment={older} />
                  </td>
                  <td className="py-3">
                    <RollbackButton deployment={newer} />
                  </td>
                </tr>
              </tbody>
            </table>
          )
        }}
      </QueryView>
    </Card>
  )
}

function CompareRow({ line: { name, text, show }, pair }: { line: Line; pair: readonly [Deployment, Deployment] }) {
  const differs = text(pair[0]) !== text(pair[1])
  return (
    <tr className="align-top">
      <th scope="row" className="py-2 pr-3 font-normal text-ink-soft">
        {name}
      </th>
      {pair.map((deployment, side) => (
        <td
          key={side === 0 ? 'before' : 'after'}
          className={classNames('py-2 pr-3 break-words', differs ? 'font-semibold' : 'text-ink-soft')}
        >
          {show ? show(deployment) : text(deployment) || '–'}
        </td>
      ))}
    </tr>
  )
}
