import type { Application, Input } from '@berth/contract'
import { runtimeChange, runtimeValues } from './runtime-values.ts'
import { type SourceValues, sourceChange, sourceValues } from './source-change.ts'

export type SettingsValues = { name: string; description: string } & SourceValues & ReturnType<typeof runtimeValues>

/** All settings of an app as the values of one form. */
export function settingsValues(app: Application): SettingsValues {
  return { name: app.name, description: app.description, ...sourceValues(app), ...runtimeValues(app) }
}

export function settingsChange(app: Application, values: SettingsValues): Omit<Input<'apps.update'>, 'appId'> {
  const { name, description, port, healthcheckPath, cpuLimit, memoryLimit, replicas, restartPolicy, deploymentStrategy } = values
  const runtime = runtimeChange({ port, healthcheckPath, cpuLimit, memoryLimit, replicas, restartPolicy, deploymentStrategy })
  return { name, description, ...(app.app_type === 'database' ? {} : sourceChange(app, values)), ...runtime }
}
