import type { Application } from '@berth/contract'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { CheckField } from '../../components/field.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import type { FormFields } from '../../lib/use-form.ts'
import { useDeploy } from '../../shared/use-deploy.ts'
import type { SettingsValues } from './settings-values.ts'

/** Whether a newer image of the same tag is deployed automatically, and a button that checks for one now. */
export function ImageUpdate({ app, form }: { app: Application; form: FormFields<SettingsValues> }) {
  const deploy = useDeploy()
  const check = useMutation({
    mutationFn: () => call('apps.checkImage', { appId: app.id }),
    onError: (error) => toast(error.message, 'bad'),
  })
  const { autoDeploy, poll } = form.values
  return (
    <div className="grid gap-3">
      <CheckField
        label="Look for a newer image every 5 minutes, and deploy it"
        checked={autoDeploy && poll === 'on'}
        onCheck={(isOn) => form.patch(isOn ? { autoDeploy: true, poll: 'on' } : { poll: 'off' })}
      />
      {app.image !== '' && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
          <Button pending={check.isPending} onClick={() => check.mutate()}>
            Check for a newer image
          </Button>
          <span aria-live="polite" className="min-w-0 [overflow-wrap:anywhere] text-ink-soft">
            {check.data?.isNewer === false && 'The newest image is live.'}
            {check.data?.isNewer === true && (check.data.liveDigest === '' ? 'Not deployed yet.' : 'There is a newer image.')}
          </span>
          {check.data?.isNewer === true && (
            <Button icon="rocket" pending={deploy.isPending} onClick={() => deploy.mutate({ appId: app.id })}>
              Deploy it
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
