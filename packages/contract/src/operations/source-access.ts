import { AppOnly } from '../applications.ts'
import { QueuedDeployment } from '../deployments.ts'
import { Deleted } from '../ids.ts'
import { operation } from '../operation.ts'
import { DeployHook, DeployKey, HookDeployment } from '../source-access.ts'

/** Ways to deploy and to clone beside git accounts. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const sourceAccessOperations = {
  'apps.rotateHook': operation({
    summary: 'Create a deploy hook for an app, or a new secret for it; the secret is shown once',
    method: 'POST', path: '/api/apps/hook/rotate', may: 'member of the app', body: AppOnly, answer: DeployHook,
  }),
  'apps.deleteHook': operation({
    summary: 'Remove the deploy hook of an app',
    method: 'DELETE', path: '/api/apps/hook/delete', may: 'member of the app', body: AppOnly, answer: Deleted,
  }),
  'deployments.addByHook': operation({
    summary: "Deploy with an app's hook: the newest commit of its branch or of another one, or a given commit",
    method: 'POST', path: '/api/hooks/deploy/:appId', may: 'deploy hook', params: AppOnly, body: HookDeployment, answer: QueuedDeployment, shape: 'bare',
  }),
  'apps.createDeployKey': operation({
    summary: 'Create a key pair for an ssh clone URL, replacing an old one. Add its public key at the git host',
    method: 'POST', path: '/api/apps/deploy-key/create', may: 'owner of the app', body: AppOnly, answer: DeployKey,
  }),
  'apps.deleteDeployKey': operation({
    summary: 'Remove the deploy key of an app, and forget the pinned key of its host',
    method: 'DELETE', path: '/api/apps/deploy-key/delete', may: 'owner of the app', body: AppOnly, answer: Deleted,
  }),
  'apps.forgetHostKey': operation({
    summary: "Forget the pinned SSH key of the git host; the next clone pins the key it has then",
    method: 'POST', path: '/api/apps/deploy-key/forget-host', may: 'owner of the app', body: AppOnly, answer: Deleted,
  }),
} as const
