import type { GitAccount, GitProvider } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { SelectField, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { toast } from '../components/toast.tsx'
import { gitKeys } from '../features/git/queries.ts'
import { hostOf, PROVIDER_WORDS, tokenPageOf } from '../lib/git-words.ts'
import { useForm } from '../lib/use-form.ts'
import { accountWords } from './git-accounts.ts'

/** Who will own the account: the user, the project, or either. */
export type NewOwner = 'me' | { projectId: number } | { projectId: number; orMe: true; projectName: string }

type Props = {
  provider: GitProvider
  owner: NewOwner
  again: GitAccount | undefined
  onDone: ((account: GitAccount) => void) | undefined
  onClose: () => void
}

/** The server first tests the token with the host. */
export function ConnectByToken({ provider, owner, again, onDone, onClose }: Props) {
  const client = useQueryClient()
  const mayChoose = owner !== 'me' && 'orMe' in owner
  const { label, home } = PROVIDER_WORDS[provider]
  const form = useForm('git.createAccount', {
    initial: {
      baseUrl: again === undefined || again.baseUrl === home ? '' : again.baseUrl,
      token: '',
      whose: owner === 'me' || mayChoose ? 'me' : 'project',
    },
    input: ({ baseUrl, token, whose }) => ({
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
  return (
    <Form form={form} submit="Connect" onCancel={onClose}>
      <TextField
        label="Address"
        mono
        inputMode="url"
        placeholder={home}
        spellCheck={false}
        disabled={again !== undefined}
        hint={again ? undefined : `Leave empty for ${hostOf(home)}. Enter the URL if you run your own ${label}.`}
        {...form.field('baseUrl')}
      />
      <TextField
        label="Access token"
        type="password"
        autoComplete="off"
        data-focus=""
        hint={<TokenHelp provider={provider} address={form.values.baseUrl} />}
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
