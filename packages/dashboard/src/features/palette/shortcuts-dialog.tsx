import { Dialog } from '../../components/dialog.tsx'

const KEYS: readonly { keys: string; or?: string; what: string }[] = [
  { keys: 'Ctrl K', or: '/', what: 'Search' },
  { keys: 'g o', what: 'Overview' },
  { keys: 'g p', what: 'Projects' },
  { keys: 'g a', what: 'Apps' },
  { keys: 'g h', what: 'Health (admins)' },
  { keys: 'g u', what: 'Users (admins)' },
  { keys: '?', what: 'This list' },
  { keys: 'Esc', what: 'Close' },
]

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
        {KEYS.map(({ keys, or, what }) => (
          <div key={keys} className="contents">
            <dt>
              <Keys>{keys}</Keys>
              {or !== undefined && (
                <>
                  {' '}
                  or <Keys>{or}</Keys>
                </>
              )}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

function Keys({ children }: { children: string }) {
  return <kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-[13px]">{children}</kbd>
}
