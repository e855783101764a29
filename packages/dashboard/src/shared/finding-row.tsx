import type { Finding } from '@berth/contract'
import { Badge } from '../components/badge.tsx'
import { FINDING_LOOK } from '../lib/status.ts'

/** "Clock" for `clock`, "Port 7946/udp" for `7946/udp`. */
function checkWords(check: string): string {
  return /^\d/.test(check) ? `Port ${check}` : check.charAt(0).toUpperCase() + check.slice(1).replaceAll('-', ' ')
}

/** What a check found, with what to do about it. */
export function FindingRow({ finding: { check, level, message, toDo } }: { finding: Finding }) {
  return (
    <li className="flex items-start justify-between gap-4 px-4 py-2.5 text-sm">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p>
          <span className="font-medium">{checkWords(check)}</span>: {message}
        </p>
        {toDo !== '' && <p className="text-ink-soft">{toDo}</p>}
      </div>
      <Badge look={FINDING_LOOK[level]} />
    </li>
  )
}
