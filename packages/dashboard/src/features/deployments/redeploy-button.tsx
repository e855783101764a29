import type { Deployment } from '@berth/contract'
import { Button } from '../../components/button.tsx'
import { isRunning } from '../../lib/status.ts'
import { useDeploy } from '../../shared/use-deploy.ts'

/** Builds and deploys the same commit again, with the settings and variables of today. */
export function RedeployButton({ deployment, kind = 'secondary' }: { deployment: Deployment; kind?: 'secondary' | 'quiet' }) {
  const deploy = useDeploy()
  const { app_id: appId, commit_hash: commit, status, deployment_number } = deployment
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) || isRunning(status)) return null
  return (
    <Button
      kind={kind}
      icon="restart"
      pending={deploy.isPending}
      title={`Build and deploy ${commit.slice(0, 7)} with the current settings`}
      onClick={() => deploy.mutate({ appId, commit })}
    >
      Redeploy<span className="sr-only"> #{deployment_number}</span>
    </Button>
  )
}
