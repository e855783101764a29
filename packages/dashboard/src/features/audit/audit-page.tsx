import type { AuditEntry } from '@berth/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Card } from '../../components/card.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { LoadOlder } from '../../components/load-older.tsx'
import { PageHeader } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { useSettled } from '../../lib/use-settled.ts'
import { users } from '../users/queries.ts'
import { aboutWords, actionWords, actorWords } from './action-words.ts'
import { ChangedValues } from './changed-values.tsx'
import { auditLog } from './queries.ts'
import { useSubjectNames } from './subject-names.ts'

const ACTIONS = [
  { value: '', label: 'All actions' },
  { value: 'session.', label: 'Logins' },
  { value: 'session.login_failed', label: 'Failed logins' },
  { value: 'user.', label: 'Users' },
  { value: 'project.', label: 'Projects' },
  { value: 'app.', label: 'Apps' },
  { value: 'env.', label: 'Environment' },
  { value: 'domain.', label: 'Domains' },
  { value: 'deployment.', label: 'Deployments' },
  { value: 'container.', label: 'Containers' },
  { value: 'settings.', label: 'Settings' },
  { value: 'disk.', label: 'Disk clean-ups' },
]

export function AuditPage() {
  const nameOf = useSubjectNames()
  const { filter, fields } = useAuditFilter()
  const query = useInfiniteQuery(auditLog(filter))
  const entries = { ...query, data: query.data?.pages.flat() }
  return (
    <>
      <PageHeader title="Audit log" note="Who changed what, newest first. Failed logins included." />
      {fields}
      <Card flush>
        <QueryView query={entries} empty={<EmptyState icon="audit" title="No results" />}>
          {(list) => (
            <ul className="divide-y divide-line">
              {list.map((entry) => (
                <Entry key={entry.id} entry={entry} name={nameOf(entry)} />
              ))}
            </ul>
          )}
        </QueryView>
        <LoadOlder query={query} />
      </Card>
    </>
  )
}

/** What is shown is in the address, so that it can be linked to. */
function useAuditFilter() {
  const [action, setAction] = useSearchState('action')
  const [actor, setActor] = useSearchState('actor')
  const [search, setSearch] = useSearchState('q')
  const [since, setSince] = useSearchState('since')
  const [until, setUntil] = useSearchState('until')
  const { data: people } = useQuery(users)
  const persons = [{ value: '', label: 'Everyone' }, ...(people ?? []).map(({ id, email }) => ({ value: String(id), label: email }))]
  const settled = useSettled(search.trim())
  const fields = (
    <div className="mb-4 grid grid-cols-2 items-end gap-2 lg:grid-cols-[minmax(0,1fr)_11rem_13rem_9.5rem_9.5rem]">
      <div className="max-lg:col-span-2">
        <TextField label="Search" type="search" placeholder="Email, action, address…" value={search} onText={setSearch} />
      </div>
      <SelectField label="Action" value={action} options={ACTIONS} onPick={setAction} />
      <SelectField label="User" value={actor} options={persons} onPick={setActor} />
      <TextField label="From" type="date" value={since} onText={setSince} />
      <TextField label="To" type="date" value={until} onText={setUntil} />
    </div>
  )
  return { filter: { action, actorId: actor === '' ? undefined : Number(actor), search: settled, since, until }, fields }
}

function isSomething(value: unknown): boolean {
  return value !== null && value !== undefined && !(typeof value === 'object' && Object.keys(value).length === 0)
}

function Entry({ entry, name }: { entry: AuditEntry; name: string }) {
  const { at, action, subject, subjectId, before, after, address, requestId } = entry
  return (
    <li className="px-4 py-2.5 text-sm">
      <div className="flex items-baseline gap-x-3">
        <span className="min-w-0 flex-1 break-words">
          <span className="font-semibold" title={action}>
            {actionWords(action)}
          </span>
          {aboutWords(entry, name)}
        </span>
        <span className="shrink-0 text-[13px] text-ink-soft">
          <RelativeTime at={at} />
        </span>
      </div>
      <p className="text-[13px] break-words text-ink-soft">
        {actorWords(entry)}
        {address !== '' && ` from ${address}`}
      </p>
      {(isSomething(before) || isSomething(after)) && (
        // "Details" is placed at the end of the line above, so that long lists stay compact.
        <details className="text-[13px]">
          <summary className="-mt-5 ml-auto w-fit text-accent">Details</summary>
          <div className="mt-2 grid gap-2 sm:grid-cols-2">
            {isSomething(before) && <ChangedValues title="Before" value={before} />}
            {isSomething(after) && <ChangedValues title="After" value={after} />}
          </div>
          <p className="mt-1 break-words text-ink-soft">
            {action}, {subject}
            {subjectId !== null && ` #${subjectId}`}, request {requestId}
          </p>
        </details>
      )}
    </li>
  )
}
