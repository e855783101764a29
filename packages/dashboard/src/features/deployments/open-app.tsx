import { useQuery } from '@tanstack/react-query'
import { Icon } from '../../components/icon.tsx'
import { appUrl } from '../../shared/app-url.ts'
import { hasDomains, useApp } from '../../shared/use-app.ts'
import { domainsOf } from '../domains/queries.ts'

/** The link to the deployed app. */
export function OpenApp() {
  const app = useApp()
  const { data: domains } = useQuery({ ...domainsOf(app.id), enabled: hasDomains(app) })
  const url = appUrl(app, domains)
  if (url === undefined) return null
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="inline-flex min-h-9 items-center gap-1.5 rounded-md bg-accent-solid px-3 text-sm font-medium text-white hover:bg-accent-solid-hover"
    >
      Open app
      <Icon name="external" size={14} />
    </a>
  )
}
