import type { Domain } from '@berth/contract'
import { CopyButton } from '../../components/copy-button.tsx'
import { Fact } from '../../components/facts.tsx'
import { dnsHint, type RecordToSet } from './dns-record.ts'

/** The DNS records that point the host name to this server, ready to copy. */
export function RecordsToSet({ domain }: { domain: Domain }) {
  const hint = dnsHint(domain, location.hostname)
  if (hint.is === 'records')
    return (
      <Fact name={hint.records.length > 1 ? 'Records to set' : 'Record to set'}>
        {hint.records.map((record) => (
          <RecordLine key={`${record.type} ${record.value}`} record={record} />
        ))}
      </Fact>
    )
  return (
    <Fact name="Record to set">
      {hint.is === 'unknown'
        ? `An A record for ${domain.domain} with the public address of this server`
        : `This server's address (${hint.addresses.join(' and ')}) is private. Use the public address of your router or provider.`}
    </Fact>
  )
}

const FAMILY = { A: 'IPv4', AAAA: 'IPv6', CNAME: '' } as const satisfies Record<RecordToSet['type'], string>

function RecordLine({ record: { name, type, value } }: { record: RecordToSet }) {
  return (
    <span className="flex flex-wrap items-start gap-x-2 sm:flex-nowrap">
      <span className="w-20 shrink-0">
        <code className="font-mono text-[13px] font-semibold">{type}</code>{' '}
        <span className="text-[13px] text-ink-soft">{FAMILY[type]}</span>
      </span>
      <code className="min-w-0 font-mono text-[13px] [overflow-wrap:anywhere] max-sm:order-last max-sm:w-full">
        {name} → <span className="inline-block">{value}</span>
      </code>
      <span className="-my-2 ml-auto">
        <CopyButton text={value} label={`Copy ${value}`} />
      </span>
    </span>
  )
}
