import type { BerthEvent, EventFrame, EventType, StreamState } from '@berth/contract'
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { appKeys } from '../features/apps/queries.ts'
import { deploymentKeys } from '../features/deployments/queries.ts'
import { domainKeys } from '../features/domains/queries.ts'
import { environmentKeys } from '../features/environment/queries.ts'
import { gitKeys } from '../features/git/queries.ts'
import { overviewKeys } from '../features/overview/queries.ts'
import { projectKeys } from '../features/projects/queries.ts'
import { me, sessionKeys } from '../features/session/queries.ts'
import { settingsKeys } from '../features/settings/queries.ts'
import { userKeys } from '../features/users/queries.ts'
import { follow } from '../lib/sockets.ts'
import { patchDeployment } from './patch-deployment.ts'

type EventOf<Type extends EventType> = Extract<BerthEvent, { type: Type }>
type Stale = { [Type in EventType]: (data: EventOf<Type>['data']) => readonly QueryKey[] }

/**
 * The queries that each event makes stale. A new event does not compile until it is listed here. Variables of one app may refer to those
 * of any other.
 */
const STALE: Stale = {
  'project.created': () => [projectKeys.list],
  'project.updated': ({ projectId }) => [projectKeys.list, projectKeys.one(projectId)],
  'project.deleted': () => [projectKeys.all, appKeys.list, deploymentKeys.running, overviewKeys.all],
  'project.members_changed': ({ projectId }) => [projectKeys.list, projectKeys.one(projectId), appKeys.list],
  'project.env_changed': () => [environmentKeys.all],
  'app.created': ({ projectId }) => [appKeys.list, projectKeys.one(projectId), environmentKeys.all, gitKeys.accounts],
  'app.updated': ({ projectId, appId }) => [
    appKeys.list,
    appKeys.one(appId),
    appKeys.files(appId),
    projectKeys.one(projectId),
    gitKeys.accounts,
    gitKeys.webhook(appId),
  ],
  'app.deleted': ({ projectId, appId }) => [
    appKeys.list,
    appKeys.ofOne(appId),
    projectKeys.one(projectId),
    environmentKeys.all,
    deploymentKeys.running,
    overviewKeys.all,
    gitKeys.accounts,
  ],
  'app.status_changed': ({ projectId, appId }) => [appKeys.list, appKeys.one(appId), appKeys.container(appId), projectKeys.one(projectId)],
  'env.changed': ({ appId }) => [environmentKeys.all, appKeys.connection(appId)],
  'domain.changed': ({ projectId, appId }) => [
    domainKeys.ofApp(appId),
    appKeys.list,
    appKeys.one(appId),
    projectKeys.one(projectId),
    overviewKeys.all,
  ],
  'deployment.created': ({ appId }) => [deploymentKeys.ofApp(appId), deploymentKeys.running, overviewKeys.all, gitKeys.allDeliveries],
  'deployment.status_changed': ({ appId, deploymentId }) => [
    deploymentKeys.ofApp(appId),
    deploymentKeys.one(deploymentId),
    appKeys.storage(appId),
    deploymentKeys.running,
    overviewKeys.all,
  ],
  'user.changed': () => [userKeys.all, sessionKeys.me],
  'settings.changed': () => [settingsKeys.all],
}

function isBerthEvent(frame: EventFrame): frame is EventFrame & BerthEvent {
  return frame.type in STALE // a server newer than this page may send other events, which are ignored
}

export function staleAfter(event: BerthEvent): readonly QueryKey[] {
  const keys = STALE[event.type] as (data: BerthEvent['data']) => readonly QueryKey[] // the table pairs each type with its own data
  return keys(event.data)
}

/**
 * The one bridge from the server's events to the query cache. `after` is the newest event before the first query, so no change of
 * anything loaded since is missed.
 */
export function startLiveEvents(client: QueryClient, after: number | undefined, onState: (state: StreamState) => void): () => void {
  let isFirst = true
  /**
   * The server reports its first event number. If it is not the requested one, or after a pause, everything is considered stale, because
   * not every change is an event.
   */
  function begun(seq: number): void {
    if (!isFirst || seq !== after) void client.invalidateQueries()
    isFirst = false
  }
  const stream = follow('events', after === undefined ? {} : { after }, {
    onFrame: (frame) => {
      if (frame.type === 'ready') return begun(frame.seq)
      if (!isBerthEvent(frame)) return
      // Progress is frequent: it is written into the cache, and only a new status triggers a refetch.
      if (frame.type === 'deployment.status_changed' && patchDeployment(client, frame.data) === 'progress only') return
      for (const queryKey of staleAfter(frame)) void client.invalidateQueries({ queryKey })
    },
    onState: (state) => {
      onState(state)
      // A refused upgrade looks like a lost connection; checking who is logged in tells them apart.
      if (state.is === 'waiting' || state.is === 'ended') void client.invalidateQueries({ queryKey: me.queryKey })
    },
  })
  return () => stream.close()
}
