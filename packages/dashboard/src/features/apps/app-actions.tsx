import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { isRunning } from '../../lib/status.ts'
import { OpenApp } from '../../shared/open-app.tsx'
import { useDeploy } from '../../shared/use-deploy.ts'
import { useHasSource } from '../../shared/use-has-source.ts'
import { liveDeployment, recentDeployments } from '../deployments/queries.ts'
import { DeployCommit } from './deploy-commit.tsx'
import { type ContainerAction, useContainerAction } from './use-container-action.ts'

const WAIT = 'A deployment is in progress. Wait for it to finish, or cancel it.'

/** What may be done to an app now. Start, stop and restart need a release and no deployment that they would interfere with. */
function useAppState(app: Application) {
  const { data: live } = useQuery(liveDeployment(app.id))
  const { data: recent = [] } = useQuery(recentDeployments(app.id))
  return {
    hasRelease: live === undefined ? app.status === 'running' : live !== null, // until it is known
    isUnderWay: recent.some(({ status }) => isRunning(status)),
    isReplaced: recent.some(({ status }) => status === 'deploying'),
  }
}

/** Open and Deploy are always in sight; what interrupts visitors is in the menu, and stopping asks first. */
export function AppActions({ app }: { app: Application }) {
  const deploy = useDeploy()
  const act = useContainerAction(app.id)
  const [stopping, setStopping] = useState(false)
  const [choosing, setChoosing] = useState(false)
  const { hasRelease, isUnderWay, isReplaced } = useAppState(app)
  const hasSource = useHasSource(app)
  const isStopped = app.status === 'stopped'
  const held = (isHeld: boolean) => (isHeld ? { disabled: true, title: WAIT } : {})
  const item = (action: ContainerAction, isHeld: boolean): Omit<MenuItem, 'label' | 'icon'> => ({
    onPick: () => act.mutate(action),
    ...held(isHeld || act.isPending),
  })
  const more: MenuItem[] = [
    ...(app.git_clone_url === ''
      ? []
      : [
          { label: 'Deploy a commit…', icon: 'commit', onPick: () => setChoosing(true) } as const,
          { label: 'Deploy without cache', icon: 'rocket', onPick: () => deploy.mutate({ appId: app.id, withoutCache: true }) } as const,
        ]),
    ...(hasRelease && !isStopped
      ? [
          { label: 'Restart', icon: 'restart', ...item('restart', isReplaced) } as const,
          { label: 'Stop…', icon: 'stop', ...item('stop', isUnderWay), onPick: () => setStopping(true) } as const,
        ]
      : []),
  ]
  return (
    <>
      {hasRelease && !isStopped && <OpenApp app={app} />}
      {hasRelease && isStopped && (
        <Button icon="play" {...held(isReplaced)} pending={act.isPending} onClick={() => act.mutate('start')}>
          Start
        </Button>
      )}
      <Button
        kind={hasRelease || !hasSource ? 'secondary' : 'primary'}
        icon="rocket"
        pending={deploy.isPending}
        {...(!hasSource && { disabled: true, title: 'Add a source first.' })}
        onClick={() => deploy.mutate({ appId: app.id })}
      >
        Deploy
      </Button>
      {more.length > 0 && <Menu label="More actions" items={more} />}
      {choosing && <DeployCommit appId={app.id} onClose={() => setChoosing(false)} />}
      {stopping && <StopDialog app={app} act={act} onClose={() => setStopping(false)} />}
    </>
  )
}

type StopProps = { app: Application; act: ReturnType<typeof useContainerAction>; onClose: () => void }

function StopDialog({ app, act, onClose }: StopProps) {
  return (
    <ConfirmDialog
      title={`Stop ${app.name}?`}
      action="Stop"
      pending={act.isPending}
      failure={act.error?.message}
      onConfirm={() => act.mutate('stop', { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        {app.app_type === 'database' ? 'Apps lose their connection to it' : 'Visitors get an error'} until you start it again. Its data is
        kept.
      </p>
    </ConfirmDialog>
  )
}
