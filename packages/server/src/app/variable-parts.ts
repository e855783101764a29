import { createBuildSecrets } from '../features/build-secrets/service.ts'
import { findActive } from '../features/deployments/store.ts'
import { createChangesSince } from '../features/env-variables/changes-since.ts'
import { createProjectVariables } from '../features/env-variables/project-variables.ts'
import { createResolveEnvironment } from '../features/env-variables/resolve-environment.ts'
import { createEnvVariables } from '../features/env-variables/service.ts'
import { findTemplate } from '../features/templates/templates.ts'
import type { Foundation } from './foundation.ts'

/** Variables of apps and projects, and how references in them are resolved. */
export function createVariableParts({ config, db, secrets, now, openRelease }: Foundation) {
  const buildSecrets = createBuildSecrets({ db, secrets })
  const envVariables = createEnvVariables({ db, secrets, now })
  const projectVariables = createProjectVariables({ db, secrets, now })
  const resolveEnvironment = createResolveEnvironment({
    db,
    readEnv: envVariables.read,
    readNamed: envVariables.readNamed,
    readProject: projectVariables.readNamed,
    findTemplate,
    edgePorts: config.edge,
  })
  const changesSince = createChangesSince({ db, resolve: resolveEnvironment, openRelease })

  /** Both the current variables of the app and those its live release was started with. */
  const secretsOf = async (appId: number) => {
    const live = await findActive(db, appId)
    const released = live?.sealed_config ? openRelease(appId, live.sealed_config).env : {}
    return [...Object.values(await envVariables.read(db, appId)), ...Object.values(released)]
  }
  return { buildSecrets, envVariables, projectVariables, resolveEnvironment, changesSince, secretsOf }
}
export type VariableParts = ReturnType<typeof createVariableParts>
