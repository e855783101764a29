import type { Application, Domain } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge, Tag } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { DNS_LOOK, type Look, SSL_LOOK } from '../../lib/status.ts'
import { paths } from '../../paths.ts'
import { hasDomains } from '../../shared/use-app.ts'
import { domainsOf } from '../domains/queries.ts'
import { environmentOf } from '../environment/queries.ts'

const NAMES_SHOWN = 12

/** Domains and variables of an app, with the way to change them. */
export function AtAGlance({ app }: { app: Application }) {
  return (
    <>
      {hasDomains(app) && (
        <Card title="Domains" actions={<More to={paths.domains(app.id)}>Manage</More>}>
          <Domains appId={app.id} />
        </Card>
      )}
      <Card title="Environment" actions={<More to={paths.environment(app.id)}>Edit</More>}>
        <Variables appId={app.id} />
      </Card>
    </>
  )
}

function More({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="text-sm text-accent hover:underline">
      {children}
    </Link>
  )
}

const NO_DNS = { label: 'Needs no DNS', tone: 'good' } as const

/** What is wrong with a domain, or that it works. */
function lookOf({ dnsStatus, dnsRecords, sslStatus }: Domain): Look {
  if (dnsStatus === 'ok' && dnsRecords.length === 0 && sslStatus === 'none') return NO_DNS
  return dnsStatus === 'wrong' || sslStatus === 'none' ? DNS_LOOK[dnsStatus] : SSL_LOOK[sslStatus]
}

function Domains({ appId }: { appId: number }) {
  return (
    <QueryView query={useQuery(domainsOf(appId))} empty={<p className="text-sm text-ink-soft">No domains yet</p>}>
      {(list) => (
        <ul className="grid gap-2">
          {list.map((domain) => (
            <li key={domain.id} className="flex min-w-0 items-center justify-between gap-3 text-sm">
              <a href={domain.url} target="_blank" rel="noreferrer" className="min-w-0 truncate hover:underline" title={domain.domain}>
                {domain.domain}
              </a>
              <Badge look={lookOf(domain)} />
            </li>
          ))}
        </ul>
      )}
    </QueryView>
  )
}

function Variables({ appId }: { appId: number }) {
  return (
    <QueryView query={useQuery(environmentOf(appId))} empty={<p className="text-sm text-ink-soft">No variables yet</p>}>
      {(list) => (
        <ul className="flex flex-wrap gap-1.5">
          {list.slice(0, NAMES_SHOWN).map(({ id, key }) => (
            <li key={id} className="max-w-full truncate font-mono">
              <Tag>{key}</Tag>
            </li>
          ))}
          {list.length > NAMES_SHOWN && <li className="text-[13px] text-ink-soft">and {list.length - NAMES_SHOWN} more</li>}
        </ul>
      )}
    </QueryView>
  )
}
