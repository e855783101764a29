import { APP_TYPES, type AppType } from '@berth/contract'
import { Icon, type IconName } from '../../components/icon.tsx'
import { TYPE_WORDS } from '../../lib/status.ts'

const ICON = { web: 'globe', service: 'gear', database: 'database', compose: 'template' } as const satisfies Record<AppType, IconName>

export function KindPicker({ value, onPick }: { value: AppType; onPick: (type: AppType) => void }) {
  return (
    <fieldset className="grid gap-2 sm:grid-cols-2">
      <legend className="sr-only">App type</legend>
      {APP_TYPES.map((type) => (
        <label
          key={type}
          className="flex cursor-pointer gap-3 rounded-md border border-line p-3 hover:border-line-strong has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input type="radio" name="kind" className="sr-only" checked={type === value} onChange={() => onPick(type)} />
          <span className="pt-0.5 text-accent">
            <Icon name={ICON[type]} size={18} />
          </span>
          <span>
            <span className="block text-sm font-medium">{TYPE_WORDS[type].label}</span>
            <span className="block text-[13px] text-ink-soft">{TYPE_WORDS[type].summary}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
