import type { Domain } from '@berth/contract'
import { useState } from 'react'
import { Badge, Tag } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { CheckField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { DNS_LOOK, SSL_LOOK } from '../../lib/status.ts'
import { useCheckDomain, useDeleteDomain, useRemoveCertificate, useUpdateDomain } from './actions.ts'
import { CertificateDialog } from './certificate-dialog.tsx'
import { RecordsToSet } from './dns-fact.tsx'

type Open = 'nothing' | 'certificate' | 'delete'

export function DomainCard({ domain }: { domain: Domain }) {
  const [open, setOpen] = useState<Open>('nothing')
  const check = useCheckDomain(domain)
  const remove = useDeleteDomain(domain)
  const close = (): void => setOpen('nothing')
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          <a href={domain.url} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1 break-all hover:underline">
            {domain.domain}
            <Icon name="external" size={13} />
          </a>
          {domain.generated && <Tag>generated</Tag>}
          {domain.service !== '' && <Tag>{domain.port === null ? domain.service : `${domain.service}:${domain.port}`}</Tag>}
        </span>
      }
      actions={
        <>
          <Button icon="restart" pending={check.isPending} onClick={() => check.mutate()}>
            Check now
          </Button>
          <IconButton icon="trash" label={`Remove ${domain.domain}`} onClick={() => setOpen('delete')} />
        </>
      }
    >
      <div className="grid gap-4 lg:grid-cols-2">
        <DomainState domain={domain} />
        {!(domain.generated && isPlainHttp(domain)) && <DomainOptions domain={domain} onCertificate={() => setOpen('certificate')} />}
      </div>
      {open === 'certificate' && <CertificateDialog domain={domain} onClose={close} />}
      {open === 'delete' && (
        <ConfirmDialog
          title={`Remove ${domain.domain}?`}
          action="Remove"
          pending={remove.isPending}
          failure={remove.error?.message}
          onConfirm={() => remove.mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          <p>The app will no longer be reachable at this address.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

/** Names such as `shop.localhost`, for which no authority issues a certificate. */
function isPlainHttp({ dnsStatus, dnsRecords, sslStatus }: Domain): boolean {
  return dnsStatus === 'ok' && dnsRecords.length === 0 && sslStatus === 'none'
}

function DomainOptions({ domain, onCertificate }: { domain: Domain; onCertificate: () => void }) {
  const update = useUpdateDomain(domain)
  const dropCertificate = useRemoveCertificate(domain)
  return (
    <div className="grid content-start gap-2">
      <CheckField
        label="Redirect HTTP to HTTPS"
        checked={domain.redirectHttps}
        onCheck={(redirectHttps) => update.mutate({ redirectHttps })}
      />
      <CheckField label="Require HTTPS in browsers (HSTS)" checked={domain.hsts} onCheck={(hsts) => update.mutate({ hsts })} />
      <div className="mt-2 flex flex-wrap gap-2">
        <Button onClick={onCertificate}>{domain.ownCertificate ? 'Replace your certificate' : 'Use your own certificate'}</Button>
        {domain.ownCertificate && (
          <Button pending={dropCertificate.isPending} onClick={() => dropCertificate.mutate()}>
            Remove your certificate
          </Button>
        )}
      </div>
    </div>
  )
}

function DomainState({ domain }: { domain: Domain }) {
  if (isPlainHttp(domain)) return <p className="text-sm text-ink-soft">Needs no DNS record. HTTP only: add your own domain to get HTTPS.</p>
  return (
    <Facts>
      <Fact name="DNS">
        <Badge look={DNS_LOOK[domain.dnsStatus]} />
        {domain.dnsError !== '' && <p className="mt-1 text-warn">{domain.dnsError}</p>}
      </Fact>
      {!domain.generated && domain.dnsStatus !== 'ok' && <RecordsToSet domain={domain} />}
      <Fact name="Certificate">
        <Badge look={SSL_LOOK[domain.sslStatus]} />
        {domain.ownCertificate && <span className="ml-2 text-ink-soft">your own</span>}
        {domain.sslError !== '' && <p className="mt-1 text-bad">{domain.sslError}</p>}
      </Fact>
      {domain.expiresAt !== null && (
        <Fact name="Expires">
          <RelativeTime at={domain.expiresAt} />
        </Fact>
      )}
      {domain.nextTryAt !== null && domain.sslStatus !== 'active' && (
        <Fact name="Next attempt">
          <RelativeTime at={domain.nextTryAt} />
        </Fact>
      )}
    </Facts>
  )
}
