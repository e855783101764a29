import type { Domain } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { AreaField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { toast } from '../../components/toast.tsx'
import { useForm } from '../../lib/use-form.ts'
import { domainKeys } from './queries.ts'

export function CertificateDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const client = useQueryClient()
  const form = useForm('domains.setCertificate', {
    initial: { certificate: '', privateKey: '' },
    input: (values) => ({ id: domain.id, ...values }),
    onDone: async () => {
      await client.invalidateQueries({ queryKey: domainKeys.ofApp(domain.appId) })
      toast(`${domain.domain} now uses your certificate.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Certificate for ${domain.domain}`} onClose={onClose} wide>
      <Form form={form} submit="Use certificate" onCancel={onClose}>
        <AreaField
          label="Certificate and chain (PEM)"
          mono
          rows={6}
          spellCheck={false}
          autoComplete="off"
          placeholder="-----BEGIN CERTIFICATE-----"
          {...form.field('certificate')}
        />
        <AreaField
          label="Private key (PEM)"
          hint="Stored on this server and never shown again."
          mono
          rows={6}
          spellCheck={false}
          autoComplete="off"
          placeholder="-----BEGIN PRIVATE KEY-----"
          {...form.field('privateKey')}
        />
      </Form>
    </Dialog>
  )
}
