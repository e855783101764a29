import { GIT_PROVIDERS, type GitAccount, type GitProvider } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../components/dialog.tsx'
import { SelectField, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { Segmented } from '../components/segmented.tsx'
import { toast } from '../components/toast.tsx'
import { gitKeys } from '../features/git/queries.ts'
import { hostOf, PROVIDER_WORDS, tokenPageOf } from '../lib/git-words.ts'
import { useForm } from '../lib/use-form.ts'
import { accountWords } from './git-accounts.ts'

const PROVIDERS = GIT_PROVIDERS.map((value) => ({ value, label: PROVIDER_WORDS[value].label }))

type Props = {
  /** Whose it becomes: the user's, the project's, or as they choose. */
  owner: 'me' | { projectId: number } | { projectId: number; orMe: true; projectName: string }
  /** One that needs a new token. */
  again?: GitAccount | undefined
  onDone?: (account: GitAccount) => void
  onClose: () => void
}

/** Connects an account on a git host by a token, which the server tries at the host first. */
export function ConnectAccount({ owner, again, onDone, onClose }: Props) {
  const client = useQueryClient()
  const mayChoose = owner !== 'me' && 'orMe' in owner
  const start: GitProvider = again?.provider ?? 'github'
  const known = again?.baseUrl === PROVIDER_WORDS[start].home ? '' : (again?.baseUrl ?? '')
  const form = useForm('git.createAccount', {
    initial: { provider: start, baseUrl: known, token: '', whose: owner === 'me' || mayChoose ? 'me' : 'project' },
    input: ({ provider, baseUrl, token, whose }) => ({
      provider,
      token: token.trim(),
      ...(baseUrl.trim() === '' ? {} : { baseUrl: baseUrl.trim() }),
      projectId: owner === 'me' || whose === 'me' ? null : owner.projectId,
    }),
    onDone: async (account) => {
      await client.invalidateQueries({ queryKey: gitKeys.all })
      toast(`${accountWords(account)} is connected.`)
      onClose()
      onDone?.(account)
    },
  })
  const { provider, baseUrl } = form.values
  const { label, home } = PROVIDER_WORDS[provider]
  return (
    <Dialog title={again ? `New token for ${again.name}` : 'Connect a Git account'} onClose={onClose}>
      <Form form={form} submit="Connect" onCancel={onClose}>
        {!again && (
          <div>
            <Segmented
              label="Git host"
              value={provider}
              options={PROVIDERS}
              onPick={(picked) => form.patch({ provider: picked, baseUrl: '' })}
            />
          </div>
        )}
        <TextField
          label="Address"
          mono
          inputMode="url"
          placeholder={home}
          spellCheck={false}
          disabled={again !== undefined}
          hint={again ? undefined : `Leave empty for ${hostOf(home)}. For your own ${label}, its https:// address.`}
          {...form.field('baseUrl')}
        />
        <TextField
          label="Access token"
          type="password"
          autoComplete="off"
          data-focus=""
          hint={<TokenHelp provider={provider} address={baseUrl} />}
          {...form.field('token')}
        />
        {mayChoose && (
          <SelectField
            label="Who can use it"
            options={[
              { value: 'me', label: 'Only me' },
              { value: 'project', label: `Every member of ${owner.projectName}` },
            ]}
            {...form.choice('whose')}
          />
        )}
      </Form>
    </Dialog>
  )
}

function TokenHelp({ provider, address }: { provider: GitProvider; address: string }) {
  const { label, permissions } = PROVIDER_WORDS[provider]
  const page = tokenPageOf(provider, address)
  return (
    <span className="grid gap-1">
      <span>
        It needs{' '}
        {permissions.map((name, at) => (
          <span key={name}>
            {at > 0 && (at === permissions.length - 1 ? ' and ' : ', ')}
            <strong className="font-medium text-ink">{name}</strong>
          </span>
        ))}
        . Berth stores it encrypted and never shows it again.
      </span>
      {page !== undefined && (
        <a href={page} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1 justify-self-start text-accent underline">
          Create a token on {label}
          <Icon name="external" size={13} />
        </a>
      )}
    </span>
  )
}
