import { Dialog } from '../../components/dialog.tsx'

const KEYS = [
  { keys: 'Ctrl K or /', what: 'Search' },
  { keys: 'g o', what: 'Overview' },
  { keys: 'g p', what: 'Projects' },
  { keys: 'g a', what: 'Apps' },
  { keys: 'g h', what: 'Health (admins)' },
  { keys: 'g u', what: 'Users (admins)' },
  { keys: '?', what: 'This list' },
  { keys: 'Esc', what: 'Close' },
] as const

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
        {KEYS.map(({ keys, what }) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-[13px]">{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
