import type { DeliveryDetails } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { DELIVERY_LOOK } from '../../lib/git-words.ts'
import { DeliveredDeployment } from './delivered-deployment.tsx'
import { delivery } from './queries.ts'
import { RedeliverButton } from './redeliver-button.tsx'

/** A delivery as received: its headers, without secrets, and its body. */
export function DeliveryDialog({ id, onClose }: { id: number; onClose: () => void }) {
  return (
    <Dialog title="Delivery" wide onClose={onClose}>
      <QueryView query={useQuery(delivery(id))}>{(found) => <Details found={found} />}</QueryView>
    </Dialog>
  )
}

function Details({ found }: { found: DeliveryDetails }) {
  const { delivery: hostId, event, result, reason, deployments, receivedAt, headers, body } = found
  const text = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Facts>
        <Fact name="Result">
          <Badge look={DELIVERY_LOOK[result]} />
        </Fact>
        {reason !== '' && <Fact name="Reason">{reason}</Fact>}
        {deployments.length > 0 && (
          <Fact name="Deployments">
            <span className="flex flex-wrap gap-x-3 gap-y-1">
              {deployments.map((id) => (
                <DeliveredDeployment key={id} id={id} />
              ))}
            </span>
          </Fact>
        )}
        <Fact name="Event">{event}</Fact>
        <Fact name="Received">
          <RelativeTime at={receivedAt} />
        </Fact>
        <Fact name="Delivery id">
          <code className="font-mono text-[13px]">{hostId}</code>
        </Fact>
      </Facts>
      <div>
        <RedeliverButton delivery={found} />
      </div>
      <Text title="Headers" text={text} />
      <Text title="Body" text={body === '' ? '' : readable(body)} none="Not kept: it is larger than 1 MiB." />
    </div>
  )
}

function Text({ title, text, none = 'None' }: { title: string; text: string; none?: string }) {
  return (
    <section>
      <div className="flex items-center justify-between">
        <h3 className="text-sm font-semibold">{title}</h3>
        {text !== '' && <CopyButton text={text} label={`Copy ${title.toLowerCase()}`} />}
      </div>
      {text === '' ? (
        <p className="text-sm text-ink-soft">{none}</p>
      ) : (
        <pre
          // Scrolled by keyboard too
          tabIndex={0}
          className="max-h-72 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px] whitespace-pre [overflow-wrap:normal]"
        >
          {text}
        </pre>
      )}
    </section>
  )
}

/** JSON with one field per line. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
