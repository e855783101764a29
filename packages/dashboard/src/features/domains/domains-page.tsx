import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Card } from '../../components/card.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { toast } from '../../components/toast.tsx'
import { useForm } from '../../lib/use-form.ts'
import { useApp } from '../../shared/use-app.ts'
import { DomainCard } from './domain-card.tsx'
import { domainKeys, domainsOf } from './queries.ts'

export function DomainsPage() {
  const { id: appId, app_type } = useApp()
  return (
    <div className="grid gap-4">
      {app_type === 'compose' ? <AddServiceDomain appId={appId} /> : <AddDomain appId={appId} />}
      <QueryView
        query={useQuery(domainsOf(appId))}
        empty={
          <Card flush>
            <EmptyState icon="globe" title="No domains yet">
              Add a host name above and point its DNS here. Berth gets the certificate automatically.
            </EmptyState>
          </Card>
        }
      >
        {(list) => (
          <div className="grid gap-4">
            {list.map((domain) => (
              <DomainCard key={domain.id} domain={domain} />
            ))}
          </div>
        )}
      </QueryView>
    </div>
  )
}

function AddDomain({ appId }: { appId: number }) {
  const client = useQueryClient()
  const form = useForm('domains.create', {
    initial: { domain: '' },
    input: ({ domain }) => ({ appId, domain: domain.trim() }),
    onDone: async ({ domain }) => {
      form.reset()
      await client.invalidateQueries({ queryKey: domainKeys.ofApp(appId) })
      toast(`${domain} added.`)
    },
  })
  return (
    <Card title="Add domain">
      <Form form={form} submit="Add" row="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="Host name"
            hideLabel
            placeholder="app.example.com"
            autoComplete="off"
            spellCheck={false}
            {...form.field('domain')}
          />
        </div>
      </Form>
    </Card>
  )
}

/** Of a compose app: for the service that has the app's port, or for another one. */
function AddServiceDomain({ appId }: { appId: number }) {
  const client = useQueryClient()
  const form = useForm('domains.create', {
    initial: { domain: '', service: '', port: '' },
    input: ({ domain, service, port }) => ({
      appId,
      domain: domain.trim(),
      ...(service.trim() !== '' && { service: service.trim() }),
      ...(port.trim() !== '' && { port: Number(port) }),
    }),
    onDone: async ({ domain, service }) => {
      form.reset()
      await client.invalidateQueries({ queryKey: domainKeys.ofApp(appId) })
      toast(service === '' ? `${domain} added.` : `${domain} added. It leads to ${service} from the next deployment on.`)
    },
  })
  return (
    <Card title="Add domain">
      <Form form={form} submit="Add">
        <div className="grid gap-4 sm:grid-cols-[2fr_1fr_1fr]">
          <TextField label="Host name" placeholder="app.example.com" autoComplete="off" spellCheck={false} {...form.field('domain')} />
          <TextField label="Service" mono placeholder="Main service" autoComplete="off" spellCheck={false} {...form.field('service')} />
          <TextField label="Port" inputMode="numeric" placeholder="Same as the app" {...form.field('port')} />
        </div>
      </Form>
    </Card>
  )
}
