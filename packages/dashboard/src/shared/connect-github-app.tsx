import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyText } from '../components/copy-text.tsx'
import { DoneButton } from '../components/dialog.tsx'
import { AreaField, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { gitKeys } from '../features/git/queries.ts'
import { plural } from '../lib/sizes.ts'
import { useForm } from '../lib/use-form.ts'
import { firstOwner, type NewOwner, projectOf, WhoCanUse } from './account-owner.tsx'

type Props = { owner: NewOwner; onClose: () => void }

const ADDRESS_HINT = 'Leave empty for github.com. Enter the URL of a GitHub Enterprise server.'

/** Only what was filled in. */
function given<Key extends string>(key: Key, text: string): { [Name in Key]?: string } {
  const value = text.trim()
  return (value === '' ? {} : { [key]: value }) as { [Name in Key]?: string } // its one key, or none
}

/** GitHub accepts the manifest of a new app as a form posted by the browser, and redirects back here. */
function postToGitHub(action: string, manifest: string): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'manifest'
  field.value = manifest
  form.append(field)
  document.body.append(form)
  form.submit()
}

/** Creates a GitHub App for this server, without anything to copy by hand. */
export function CreateGitHubApp({ owner, onLeave, onClose }: Props & { onLeave?: (() => void) | undefined }) {
  const form = useForm('git.githubManifest', {
    initial: { organization: '', baseUrl: '', whose: firstOwner(owner) },
    input: ({ organization, baseUrl, whose }) => ({
      ...given('organization', organization),
      ...given('baseUrl', baseUrl),
      projectId: projectOf(owner, whose),
    }),
    onDone: ({ action, manifest }) => {
      onLeave?.()
      postToGitHub(action, manifest)
    },
  })
  return (
    <Form form={form} submit="Create a GitHub App" onCancel={onClose}>
      <p className="text-sm text-ink-soft">
        GitHub asks for a name and where to install the app, then returns here. The app can read only the repositories that you choose, and
        no token has to be copied or renewed.
      </p>
      <TextField
        label="Organization"
        placeholder="Your own account"
        spellCheck={false}
        hint="Leave empty to create it in your own account."
        {...form.field('organization')}
      />
      <TextField label="Address" mono placeholder="https://github.com" spellCheck={false} hint={ADDRESS_HINT} {...form.field('baseUrl')} />
      <WhoCanUse owner={owner} {...form.choice('whose')} />
    </Form>
  )
}

/** Connects a GitHub App that exists already. */
export function ExistingGitHubApp({ owner, onClose }: Props) {
  const client = useQueryClient()
  const [done, setDone] = useState<{ webhookUrl: string; accounts: number }>()
  const form = useForm('git.connectGitHubApp', {
    initial: { appId: '', privateKey: '', webhookSecret: '', baseUrl: '', whose: firstOwner(owner) },
    input: ({ appId, privateKey, webhookSecret, baseUrl, whose }) => ({
      appId: Number(appId.trim()),
      privateKey: privateKey.trim(),
      webhookSecret: webhookSecret.trim(),
      ...given('baseUrl', baseUrl),
      projectId: projectOf(owner, whose),
    }),
    onDone: async ({ webhookUrl, accounts }) => {
      setDone({ webhookUrl, accounts: accounts.length })
      await client.invalidateQueries({ queryKey: gitKeys.all })
    },
  })
  if (done)
    return (
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 text-sm">
        {done.accounts === 0 ? (
          <Notice tone="warn">The app is not installed anywhere yet. Install it at GitHub, and connect it again.</Notice>
        ) : (
          <p>{plural(done.accounts, 'installation')} connected.</p>
        )}
        <p className="text-ink-soft">Set this as the webhook URL in the settings of the app, so that pushes arrive:</p>
        <CopyText label="Webhook URL" text={done.webhookUrl} />
        <DoneButton onClose={onClose} />
      </div>
    )
  return (
    <Form form={form} submit="Connect" onCancel={onClose}>
      <TextField label="App ID" inputMode="numeric" data-focus="" {...form.field('appId')} />
      <AreaField
        label="Private key"
        mono
        rows={4}
        placeholder="-----BEGIN RSA PRIVATE KEY-----"
        spellCheck={false}
        autoComplete="off"
        hint="The whole .pem file. Berth stores it encrypted and never shows it again."
        {...form.field('privateKey')}
      />
      <TextField label="Webhook secret" type="password" autoComplete="off" {...form.field('webhookSecret')} />
      <TextField label="Address" mono placeholder="https://github.com" spellCheck={false} hint={ADDRESS_HINT} {...form.field('baseUrl')} />
      <WhoCanUse owner={owner} {...form.choice('whose')} />
    </Form>
  )
}
