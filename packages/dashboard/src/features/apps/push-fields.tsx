import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { AreaField, CheckField, SelectField } from '../../components/field.tsx'
import { WEBHOOK_LOOK } from '../../lib/git-words.ts'
import type { FormFields } from '../../lib/use-form.ts'
import { paths } from '../../paths.ts'
import { webhookOf } from '../git/queries.ts'
import type { SettingsValues } from './settings-values.ts'
import type { Poll } from './source-change.ts'

const POLLS: readonly { value: Poll; label: string }[] = [
  { value: 'auto', label: 'Only without a working webhook' },
  { value: 'on', label: 'Always' },
  { value: 'off', label: 'Never' },
]

/** Whether new commits deploy the app, which of them, and how Berth hears of them. */
export function PushFields({ app, form }: { app: Application; form: FormFields<SettingsValues> }) {
  const { autoDeploy, via } = form.values
  return (
    <div className="grid gap-4">
      <div className="grid gap-1.5">
        <CheckField
          label="Deploy new commits of the branch automatically"
          checked={autoDeploy}
          onCheck={(isOn) => form.set('autoDeploy', isOn)}
        />
        {app.git_provider_id !== null && via === 'account' && <WebhookState appId={app.id} />}
      </div>
      {autoDeploy && via === 'account' && (
        <AreaField
          label="Watch paths"
          mono
          rows={3}
          placeholder={'web/**\npackage.json'}
          spellCheck={false}
          hint="One pattern per line. Only pushes that change one of them deploy. If empty, every push deploys."
          {...form.field('watchPaths')}
        />
      )}
      {autoDeploy && (
        <SelectField
          label="Check the repository every 5 minutes"
          options={POLLS}
          hint={via === 'account' ? 'Finds commits that no webhook reported.' : 'Finds new commits, starting with the first deployment.'}
          {...form.choice('poll')}
        />
      )}
    </div>
  )
}

function WebhookState({ appId }: { appId: number }) {
  const { data } = useQuery(webhookOf(appId))
  return (
    <p className="flex min-h-6 flex-wrap items-center gap-x-2 gap-y-1 pl-6 text-[13px] text-ink-soft">
      {data && <Badge look={WEBHOOK_LOOK[data.status]} />}
      {data?.error || data?.warning}
      <Link to={paths.webhooks(appId)} className="text-accent underline">
        View deliveries
      </Link>
    </p>
  )
}
