import type { Deployment } from '@berth/contract'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { classNames } from '../../lib/class-names.ts'
import { DEPLOYMENT_LOOK, TRIGGER_WORDS } from '../../lib/status.ts'
import { durationWords } from '../../lib/time.ts'
import { RollbackButton } from '../../shared/rollback-button.tsx'

type Pair = readonly [Deployment, Deployment]
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

/** Two deployments side by side; what differs is bold. */
export function CompareTable({ pair, heads }: { pair: Pair; heads: readonly [ReactNode, ReactNode] }) {
  return (
    <table className="w-full table-fixed text-left text-sm">
      <thead>
        <tr className="align-bottom">
          <td className="w-20 pb-3 sm:w-32" />
          <th scope="col" className="pr-3 pb-3 font-normal">
            {heads[0]}
          </th>
          <th scope="col" className="pb-3 font-normal">
            {heads[1]}
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line border-t border-line">
        {LINES.filter(({ text }) => pair.some((each) => text(each) !== '')).map((line) => (
          <CompareRow key={line.name} line={line} pair={pair} />
        ))}
        <tr>
          <td />
          {pair.map((deployment, side) => (
            <td key={side === 0 ? 'before' : 'after'} className="py-3 pr-3">
              <RollbackButton deployment={deployment} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  )
}

function CompareRow({ line: { name, text, show }, pair }: { line: Line; pair: Pair }) {
  const differs = text(pair[0]) !== text(pair[1])
  return (
    <tr className="align-top">
      <th scope="row" className="py-2 pr-3 font-normal text-ink-soft">
        {name}
      </th>
      {pair.map((deployment, side) => (
        <td
          key={side === 0 ? 'before' : 'after'}
          className={classNames('py-2 pr-3 [overflow-wrap:anywhere] last:pr-0', differs ? 'font-semibold' : 'text-ink-soft')}
        >
          {show ? show(deployment) : text(deployment) || '–'}
        </td>
      ))}
    </tr>
  )
}
