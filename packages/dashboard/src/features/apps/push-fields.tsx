import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { AreaField, CheckField } from '../../components/field.tsx'
import { WEBHOOK_LOOK } from '../../lib/git-words.ts'
import type { FormFields } from '../../lib/use-form.ts'
import { paths } from '../../paths.ts'
import { webhookOf } from '../git/queries.ts'
import type { SettingsValues } from './settings-values.ts'

/** Whether a push deploys the app, and which. */
export function PushFields({ app, form }: { app: Application; form: FormFields<SettingsValues> }) {
  return (
    <div className="grid gap-4">
      <div className="grid gap-1.5">
        <CheckField
          label="Deploy on every push to the branch"
          checked={form.values.autoDeploy}
          onCheck={(autoDeploy) => form.set('autoDeploy', autoDeploy)}
        />
        {app.git_provider_id !== null && <WebhookState appId={app.id} />}
      </div>
      {form.values.autoDeploy && (
        <AreaField
          label="Watch paths"
          mono
          rows={3}
          placeholder={'web/**\npackage.json'}
          spellCheck={false}
          hint="One pattern a line. Only pushes that change one of them deploy. If empty, every push deploys."
          {...form.field('watchPaths')}
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
      {data?.error}
      <Link to={paths.webhooks(appId)} className="text-accent underline">
        View deliveries
      </Link>
    </p>
  )
}
