import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { isRunning } from '../../lib/status.ts'
import { OpenApp } from '../../shared/open-app.tsx'
import { useDeploy } from '../../shared/use-deploy.ts'
import { deploymentsOfApp } from '../deployments/queries.ts'
import { type ContainerAction, useContainerAction } from './use-container-action.ts'

const WAIT = 'A deployment is in progress. Wait for it to finish, or cancel it.'

/** Deploy is always there; start, stop and restart need a release and no deployment that they would interfere with. */
export function AppActions({ app }: { app: Application }) {
  const deploy = useDeploy()
  const act = useContainerAction(app.id)
  const { data: history } = useQuery(deploymentsOfApp(app.id))
  const hasRelease = history?.some(({ is_active }) => is_active) ?? app.status === 'running' // until it is known
  const isUnderWay = history?.some(({ status }) => isRunning(status)) ?? false
  const isReplaced = history?.some(({ status }) => status === 'deploying') ?? false
  const held = (isHeld: boolean) => (isHeld ? { disabled: true, title: WAIT } : {})
  const pending = (action: ContainerAction): boolean => act.isPending && act.variables === action
  return (
    <>
      {hasRelease && app.status !== 'stopped' && <OpenApp app={app} />}
      {hasRelease && app.status !== 'stopped' && (
        <>
          <Button icon="restart" {...held(isReplaced)} pending={pending('restart')} onClick={() => act.mutate('restart')}>
            Restart
          </Button>
          <Button icon="stop" {...held(isUnderWay)} pending={pending('stop')} onClick={() => act.mutate('stop')}>
            Stop
          </Button>
        </>
      )}
      {hasRelease && app.status === 'stopped' && (
        <Button icon="play" {...held(isReplaced)} pending={pending('start')} onClick={() => act.mutate('start')}>
          Start
        </Button>
      )}
      <Button kind={hasRelease ? 'secondary' : 'primary'} icon="rocket" pending={deploy.isPending} onClick={() => deploy.mutate(app.id)}>
        {hasRelease ? 'Deploy again' : 'Deploy'}
      </Button>
    </>
  )
}
