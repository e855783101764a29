import { APP_TYPES, type ListedApplication, shownStatus } from '@berth/contract'
import { SelectField, TextField } from '../components/field.tsx'
import { useSearchState } from '../lib/route-state.ts'
import { APP_LOOK, TYPE_WORDS } from '../lib/status.ts'

const TYPE_OPTIONS = [{ value: '', label: 'All types' }, ...APP_TYPES.map((type) => ({ value: type, label: TYPE_WORDS[type].label }))]
const STATUS_OPTIONS = [
  { value: '', label: 'All statuses' },
  ...Object.entries(APP_LOOK).map(([status, { label }]) => ({ value: status, label })),
]

/** Text, type and status that an app must match, kept in the address of the page. */
export function useAppFilter() {
  const [text, setText] = useSearchState('q')
  const [type, setType] = useSearchState('type')
  const [status, setStatus] = useSearchState('state')
  return {
    text,
    setText,
    type,
    setType,
    status,
    setStatus,
    matches: (app: ListedApplication): boolean =>
      (type === '' || app.app_type === type) &&
      (status === '' || shownStatus(app) === status) &&
      `${app.name} ${app.description} ${app.domains.join(' ')}`.toLowerCase().includes(text.toLowerCase()),
  }
}

export function AppFilter({ filter }: { filter: ReturnType<typeof useAppFilter> }) {
  return (
    <div className="mb-4 grid gap-2 sm:grid-cols-[minmax(0,1fr)_11rem_11rem]">
      <TextField
        label="Search"
        hideLabel
        type="search"
        placeholder="Search by name or address"
        value={filter.text}
        onText={filter.setText}
      />
      <SelectField label="Type" hideLabel value={filter.type} options={TYPE_OPTIONS} onPick={filter.setType} />
      <SelectField label="Status" hideLabel value={filter.status} options={STATUS_OPTIONS} onPick={filter.setStatus} />
    </div>
  )
}
