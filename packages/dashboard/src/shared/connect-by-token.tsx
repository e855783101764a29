import type { GitAccount, GitProvider } from '@berth/contract'
import { useQueryClient } from '@tanstack/react-query'
import { TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { toast } from '../components/toast.tsx'
import { gitKeys } from '../features/git/queries.ts'
import { hostOf, PROVIDER_WORDS, tokenPageOf } from '../lib/git-words.ts'
import { useForm } from '../lib/use-form.ts'
import { firstOwner, type NewOwner, projectOf, WhoCanUse } from './account-owner.tsx'
import { accountWords } from './git-accounts.ts'

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
  const { label, home } = PROVIDER_WORDS[provider]
  const form = useForm('git.createAccount', {
    initial: {
      baseUrl: again === undefined || again.baseUrl === home ? '' : again.baseUrl,
      token: '',
      whose: firstOwner(owner),
    },
    input: ({ baseUrl, token, whose }) => ({
      provider,
      token: token.trim(),
      ...(baseUrl.trim() === '' ? {} : { baseUrl: baseUrl.trim() }),
      projectId: projectOf(owner, whose),
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
      <WhoCanUse owner={owner} {...form.choice('whose')} />
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
