import type { Kysely } from 'kysely'
import { up as initial } from './0001-initial.ts'
import { up as sourceSetBy } from './0002-source-set-by.ts'
import { up as portsAndBuildTimes } from './0003-ports-and-build-times.ts'
import { up as boundedLookups } from './0004-bounded-lookups.ts'
import { up as mainService } from './0005-main-service.ts'
import { up as forgetUnusedSettings } from './0006-forget-unused-settings.ts'
import { up as projectVariables } from './0007-project-variables.ts'
import { up as failureFacts } from './0008-failure-facts.ts'
import { up as appFigures } from './0009-app-figures.ts'
import { up as stepsSessionsInvitations } from './0010-steps-sessions-invitations.ts'
import { up as gitAccounts } from './0011-git-accounts.ts'
import { up as webhooks } from './0012-webhooks.ts'
import { up as gitHubApps } from './0013-github-apps.ts'
import { up as deployHooksAndKeys } from './0014-deploy-hooks-and-keys.ts'
import { up as stacks } from './0015-stacks.ts'
import { up as builders } from './0016-builders.ts'
import { up as hookMakers } from './0017-hook-makers.ts'
import { up as openPorts } from './0018-open-ports.ts'
import { up as registries } from './0019-registries.ts'
import { up as boundedLogs } from './0020-bounded-logs.ts'
import { up as storage } from './0021-storage.ts'
import { up as replicas } from './0022-replicas.ts'
import { up as buildSettings } from './0023-build-settings.ts'
import { up as processes } from './0024-processes.ts'
import { up as privateHostOrder } from './0025-private-host-order.ts'
import { up as nodes } from './0026-nodes.ts'
import { up as sharedCertificates } from './0027-shared-certificates.ts'
import { up as sharedLogs } from './0028-shared-logs.ts'
import { up as sharedRoutes } from './0029-shared-routes.ts'
import { up as loginDelays } from './0030-login-delays.ts'
import { up as stoppedEdges } from './0031-stopped-edges.ts'
import { up as privateImages } from './0032-private-images.ts'
import { up as portsOfNodes } from './0033-ports-of-nodes.ts'
import { up as startsOfNodes } from './0034-starts-of-nodes.ts'
import { up as placement } from './0035-placement.ts'

export type Migration = { version: number; name: string; up: (db: Kysely<unknown>) => Promise<void> }

/** Every change of the schema, in order. What has shipped is never edited. */
export const migrations: readonly Migration[] = [
  { version: 1, name: '0001-initial', up: initial },
  { version: 2, name: '0002-source-set-by', up: sourceSetBy },
  { version: 3, name: '0003-ports-and-build-times', up: portsAndBuildTimes },
  { version: 4, name: '0004-bounded-lookups', up: boundedLookups },
  { version: 5, name: '0005-main-service', up: mainService },
  { version: 6, name: '0006-forget-unused-settings', up: forgetUnusedSettings },
  { version: 7, name: '0007-project-variables', up: projectVariables },
  { version: 8, name: '0008-failure-facts', up: failureFacts },
  { version: 9, name: '0009-app-figures', up: appFigures },
  { version: 10, name: '0010-steps-sessions-invitations', up: stepsSessionsInvitations },
  { version: 11, name: '0011-git-accounts', up: gitAccounts },
  { version: 12, name: '0012-webhooks', up: webhooks },
  { version: 13, name: '0013-github-apps', up: gitHubApps },
  { version: 14, name: '0014-deploy-hooks-and-keys', up: deployHooksAndKeys },
  { version: 15, name: '0015-stacks', up: stacks },
  { version: 16, name: '0016-builders', up: builders },
  { version: 17, name: '0017-hook-makers', up: hookMakers },
  { version: 18, name: '0018-open-ports', up: openPorts },
  { version: 19, name: '0019-registries', up: registries },
  { version: 20, name: '0020-bounded-logs', up: boundedLogs },
  { version: 21, name: '0021-storage', up: storage },
  { version: 22, name: '0022-replicas', up: replicas },
  { version: 23, name: '0023-build-settings', up: buildSettings },
  { version: 24, name: '0024-processes', up: processes },
  { version: 25, name: '0025-private-host-order', up: privateHostOrder },
  { version: 26, name: '0026-nodes', up: nodes },
  { version: 27, name: '0027-shared-certificates', up: sharedCertificates },
  { version: 28, name: '0028-shared-logs', up: sharedLogs },
  { version: 29, name: '0029-shared-routes', up: sharedRoutes },
  { version: 30, name: '0030-login-delays', up: loginDelays },
  { version: 31, name: '0031-stopped-edges', up: stoppedEdges },
  { version: 32, name: '0032-private-images', up: privateImages },
  { version: 33, name: '0033-ports-of-nodes', up: portsOfNodes },
  { version: 34, name: '0034-starts-of-nodes', up: startsOfNodes },
  { version: 35, name: '0035-placement', up: placement },
]
