import type { DeploymentStep } from '@berth/contract'

/** The stored steps of a deployment. */
export function storedSteps(text: string): DeploymentStep[] {
  return JSON.parse(text) as DeploymentStep[] // written by `createSteps` and nowhere else
}
