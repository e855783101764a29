import { GIT_PROVIDERS, type GitAccount, type GitProvider } from '@berth/contract'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { Segmented } from '../components/segmented.tsx'
import { PROVIDER_WORDS } from '../lib/git-words.ts'
import type { NewOwner } from './account-owner.tsx'
import { ConnectByToken } from './connect-by-token.tsx'
import { CreateGitHubApp, ExistingGitHubApp } from './connect-github-app.tsx'

const PROVIDERS = GIT_PROVIDERS.map((value) => ({ value, label: PROVIDER_WORDS[value].label }))
const WAYS = [
  { value: 'token', label: 'Access token' },
  { value: 'app', label: 'GitHub App' },
  { value: 'existing', label: 'Existing app' },
] as const

type Props = {
  owner: NewOwner
  /** An account that needs a new token. */
  again?: GitAccount | undefined
  onDone?: (account: GitAccount) => void
  onClose: () => void
  /** False if leaving for GitHub would lose what was typed on the page behind the dialog. */
  mayLeave?: boolean
  firstWay?: (typeof WAYS)[number]['value']
  /** Before the browser goes to GitHub. */
  onLeave?: (() => void) | undefined
}

/** Connects an account on a git host: with a token, or for GitHub also with an app. */
export function ConnectAccount({ owner, again, onDone, onClose, mayLeave = false, firstWay = 'token', onLeave }: Props) {
  const [provider, setProvider] = useState<GitProvider>(again?.provider ?? 'github')
  const [way, setWay] = useState(firstWay)
  const shown = provider === 'github' && mayLeave && !again ? way : 'token'
  return (
    <Dialog title={again ? `New token for ${again.name}` : 'Connect a Git account'} onClose={onClose}>
      <div className="grid gap-4">
        {!again && (
          <div className="flex flex-wrap gap-2">
            <Segmented label="Git host" value={provider} options={PROVIDERS} onPick={setProvider} />
            {provider === 'github' && mayLeave && <Segmented label="Connect by" value={way} options={WAYS} onPick={setWay} />}
          </div>
        )}
        {shown === 'token' && (
          <ConnectByToken key={provider} provider={provider} owner={owner} again={again} onDone={onDone} onClose={onClose} />
        )}
        {shown === 'app' && <CreateGitHubApp owner={owner} onLeave={onLeave} onClose={onClose} />}
        {shown === 'existing' && <ExistingGitHubApp owner={owner} onClose={onClose} />}
      </div>
    </Dialog>
  )
}
