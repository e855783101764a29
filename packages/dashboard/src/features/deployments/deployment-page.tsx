import type { Application, Deployment } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { LogViewer } from '../../components/log-viewer.tsx'
import { Notice } from '../../components/notice.tsx'
import { useDocumentTitle } from '../../components/page.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { stripAnsi } from '../../lib/ansi.ts'
import { call } from '../../lib/api.ts'
import { loadedSource } from '../../lib/log-source.ts'
import { useIdParam } from '../../lib/route-state.ts'
import { saveFile } from '../../lib/save-file.ts'
import { activityWords, DEPLOYMENT_LOOK, isRunning, STREAM_LOOK } from '../../lib/status.ts'
import { durationWords } from '../../lib/time.ts'
import { shortUrl } from '../../shared/app-url.ts'
import { CommitWords, hasCommitWords } from '../../shared/commit-words.tsx'
import { RollbackButton } from '../../shared/rollback-button.tsx'
import { useApp } from '../../shared/use-app.ts'
import { useCancel } from './actions.ts'
import { BuildPlanCard } from './build-plan-card.tsx'
import { useDeploymentLog } from './follow-deployment.ts'
import { OriginWords } from './origin-words.tsx'
import { deployment } from './queries.ts'
import { RedeployButton } from './redeploy-button.tsx'
import { StageList } from './stage-list.tsx'
import { SuggestionButtons } from './suggestion-buttons.tsx'

export function DeploymentPage() {
  const id = useIdParam('deploymentId')
  const app = useApp()
  return (
    <QueryView key={id} query={useQuery(deployment(id))}>
      {(found) => (
        <div className="grid gap-4">
          <Progress deployment={found} app={app} />
          <Log deployment={found} />
          {(app.app_type === 'web' || app.app_type === 'service') && <BuildPlanCard deployment={found} />}
        </div>
      )}
    </QueryView>
  )
}

function Progress({ deployment: found, app }: { deployment: Deployment; app: Application }) {
  const { id, deployment_number, status, is_active, progress, error_message } = found
  const cancel = useCancel(id)
  useDocumentTitle(`#${deployment_number} · ${app.name}`)
  const running = isRunning(status)
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          Deployment #{deployment_number} <Badge look={DEPLOYMENT_LOOK[status]} />
          {is_active && <Badge look={{ label: 'Live', tone: 'good' }} />}
        </span>
      }
      actions={
        <>
          {running && (
            <Button icon="stop" pending={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel
            </Button>
          )}
          <RedeployButton deployment={found} />
          <RollbackButton deployment={found} />
        </>
      }
    >
      <div className="grid gap-3">
        {error_message !== '' && <Notice tone={status === 'failed' ? 'bad' : 'plain'}>{error_message}</Notice>}
        {status === 'failed' && <SuggestionButtons deployment={found} app={app} />}
        {is_active && app.url !== '' && <LiveAt url={app.url} seconds={found.duration} />}
        <StageList deployment={found} isDatabase={app.app_type === 'database'} />
        {running && (
          <div className="grid grid-cols-[1fr_auto] items-center gap-3 text-[13px] text-ink-soft tabular-nums">
            <ProgressBar percent={progress} label="Progress" />
            {status === 'pending' ? activityWords(found) : `${progress}%`}
          </div>
        )}
        <p className="text-sm text-ink-soft">
          {hasCommitWords(found) && (
            <>
              <CommitWords deployment={found} />
              <br />
            </>
          )}
          <OriginWords deployment={found} />
        </p>
      </div>
    </Card>
  )
}

function LiveAt({ url, seconds }: { url: string; seconds: number }) {
  return (
    <p className="text-sm">
      Live at{' '}
      <a href={url} target="_blank" rel="noreferrer" className="break-all text-accent underline">
        {shortUrl(url)}
      </a>
      {` in ${durationWords(seconds)}`}
    </p>
  )
}

const STREAMS = [
  { value: 'all', label: 'All' },
  { value: 'stderr', label: 'Errors' },
  { value: 'berth', label: 'Berth' },
] as const

const LOOKS = { ...STREAM_LOOK, ended: { label: 'Complete', tone: 'idle' } } as const
/** A deployment that has ended writes no more, also while its log is still being read. */
const LOOKS_OF_ENDED = { ...LOOKS, open: { label: 'Loading…', tone: 'busy' } } as const

function Log({ deployment: { id, status, finished_at: finishedAt } }: { deployment: Deployment }) {
  const { buffer, state } = useDeploymentLog(id)
  const waiting = status === 'pending' ? 'The log appears when the deployment starts.' : 'Loading…'
  return (
    <LogViewer
      source={loadedSource({
        name: `deployment ${id}`,
        buffer,
        state,
        download: async () => {
          const text = await call('deployments.log', { deploymentId: id })
          saveFile(`deployment-${id}.log`, text.split('\n').map(stripAnsi).join('\n'))
        },
      })}
      streams={STREAMS}
      looks={finishedAt === null ? LOOKS : LOOKS_OF_ENDED}
      empty={state === 'ended' ? 'This deployment has no log.' : waiting}
      className="h-[60dvh] min-h-80"
    />
  )
}
