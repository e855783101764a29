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
          <RecordLine key={record.type} record={record} />
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

function RecordLine({ record: { name, type, value } }: { record: RecordToSet }) {
  return (
    <span className="flex items-start gap-1">
      <code className="min-w-0 font-mono text-[13px] break-all">
        {name}{' '}
        <span className="inline-block">
          {type} {value}
        </span>
      </code>
      <span className="-my-2">
        <CopyButton text={value} label={`Copy ${value}`} />
      </span>
    </span>
  )
}
