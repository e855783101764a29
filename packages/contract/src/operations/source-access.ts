import { AppOnly } from '../applications.ts'
import { QueuedDeployment } from '../deployments.ts'
import { Deleted } from '../ids.ts'
import { operation } from '../operation.ts'
import { DeployHook, DeployKey, HookDeployment } from '../source-access.ts'

/** Ways to deploy and to clone beside git accounts. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const sourceAccessOperations = {
  'apps.rotateHook': operation({
    summary: 'Give an app a deploy hook, or the one it has a new secret, which is shown once',
    method: 'POST', path: '/api/apps/hook/rotate', may: 'member of the app', body: AppOnly, answer: DeployHook,
  }),
  'apps.deleteHook': operation({
    summary: 'Take the deploy hook of an app away',
    method: 'DELETE', path: '/api/apps/hook/delete', may: 'member of the app', body: AppOnly, answer: Deleted,
  }),
  'deployments.addByHook': operation({
    summary: "Deploy by an app's hook: the newest commit of its branch, of another one, or a given commit",
    method: 'POST', path: '/api/hooks/deploy/:appId', may: 'deploy hook', params: AppOnly, body: HookDeployment, answer: QueuedDeployment, shape: 'bare',
  }),
  'apps.createDeployKey': operation({
    summary: 'Make a key pair for an ssh clone URL; an old one is replaced. The public half goes to the host of the repository',
    method: 'POST', path: '/api/apps/deploy-key/create', may: 'owner of the app', body: AppOnly, answer: DeployKey,
  }),
  'apps.deleteDeployKey': operation({
    summary: 'Take the deploy key of an app away, and forget the pinned key of its host',
    method: 'DELETE', path: '/api/apps/deploy-key/delete', may: 'owner of the app', body: AppOnly, answer: Deleted,
  }),
  'apps.forgetHostKey': operation({
    summary: "Forget the pinned SSH key of the source's host; the next use pins the one it has then",
    method: 'POST', path: '/api/apps/deploy-key/forget-host', may: 'owner of the app', body: AppOnly, answer: Deleted,
  }),
} as const
