import { AppOnly } from '../applications.ts'
import { QueuedDeployment } from '../deployments.ts'
import { Deleted } from '../ids.ts'
import { operation } from '../operation.ts'
import { DeployHook, HookDeployment } from '../source-access.ts'

/** Ways to deploy and to clone beside git accounts. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const sourceAccessOperations = {
  'apps.rotateHook': operation({
    summary: 'Give an application a deploy hook, or the one it has a new secret, which is shown once',
    method: 'POST', path: '/api/apps/hook/rotate', may: 'member of the app', body: AppOnly, answer: DeployHook,
  }),
  'apps.deleteHook': operation({
    summary: 'Take the deploy hook of an application away',
    method: 'DELETE', path: '/api/apps/hook/delete', may: 'member of the app', body: AppOnly, answer: Deleted,
  }),
  'deployments.addByHook': operation({
    summary: "Deploy by an application's hook: the newest commit of its branch, of another one, or a given commit",
    method: 'POST', path: '/api/hooks/deploy/:appId', may: 'deploy hook', params: AppOnly, body: HookDeployment, answer: QueuedDeployment, shape: 'bare',
  }),
} as const
