import type { ListedApplication } from '@berth/contract'
import { Icon } from '../components/icon.tsx'

/** The link to the deployed app. */
export function OpenApp({ app }: { app: ListedApplication }) {
  if (app.url === '') return null
  return (
    <a
      href={app.url}
      target="_blank"
      rel="noreferrer"
      className="inline-flex min-h-9 items-center gap-1.5 rounded-md bg-accent-solid px-3 text-sm font-medium text-white hover:bg-accent-solid-hover"
    >
      Open app
      <Icon name="external" size={14} />
    </a>
  )
}
