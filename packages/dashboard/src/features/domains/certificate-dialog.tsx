import type { Domain } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { AreaField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
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
      toast(`Your certificate serves ${domain.domain} now.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Certificate for ${domain.domain}`} onClose={onClose} wide>
      <form className="grid gap-4" onSubmit={form.submit} noValidate>
        {form.failure !== undefined && <Notice tone="bad">{form.failure}</Notice>}
        <AreaField
          label="Certificate and chain (PEM)"
          mono
          rows={6}
          spellCheck={false}
          autoComplete="off"
          placeholder="-----BEGIN CERTIFICATE-----"
          value={form.values.certificate}
          onText={(text) => form.set('certificate', text)}
          problem={form.problems['certificate']}
        />
        <AreaField
          label="Private key (PEM)"
          hint="It is kept on this server and never shown again."
          mono
          rows={6}
          spellCheck={false}
          autoComplete="off"
          placeholder="-----BEGIN PRIVATE KEY-----"
          value={form.values.privateKey}
          onText={(text) => form.set('privateKey', text)}
          problem={form.problems['privateKey']}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" pending={form.pending}>
            Use it
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
