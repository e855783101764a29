import { useQuery } from '@tanstack/react-query'
import { version } from '../features/session/queries.ts'
import { useLater } from '../lib/use-later.ts'

/** Hidden while the page loads, because the content would push it down. The version is the one that runs: an open page may be older. */
export function Footer() {
  const isLater = useLater()
  const { data: running } = useQuery({ ...version, enabled: isLater })
  return (
    <footer className="[main:has([data-loading])+&]:invisible mx-auto flex w-full max-w-6xl flex-wrap justify-between gap-x-4 px-4 pb-4 text-xs text-ink-faint sm:px-6">
      <span>{running && `Berth ${running.version}`}</span>
      <a href="/docs" className="hover:underline">
        API
      </a>
    </footer>
  )
}
