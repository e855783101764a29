import type { DeploymentComparison } from '@berth/contract'
import { openConfig, type ReleaseConfig } from '../../../domain/release-config.ts'
import { type DeploymentRow, findDeployment } from '../../../domain/rows.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Reader } from '../../../store/database.ts'
import { differences } from './differences.ts'

export type CompareDeployments = (deployment: DeploymentRow, withId: number) => Promise<DeploymentComparison>

/** What differs between two deployments of one app, as far as their settings are kept. */
export function createCompareDeployments({ db, secrets }: { db: Reader; secrets: SecretBox }): CompareDeployments {
  const configOf = ({ app_id, sealed_config }: DeploymentRow): ReleaseConfig | undefined =>
    sealed_config === '' ? undefined : openConfig(secrets, app_id, sealed_config)

  return async (deployment, withId) => {
    const other = await findDeployment(db, withId)
    if (!other || other.app_id !== deployment.app_id) throw new AppError('deployment_not_found') // a deployment of another app is treated as unknown
    const [before, after] = [configOf(deployment), configOf(other)]
    const notKept = [...(before ? [] : [deployment.id]), ...(after ? [] : [other.id])]
    if (!before || !after) return { settings: [], environment: [], notKept }
    return { ...differences(before, after), notKept }
  }
}
