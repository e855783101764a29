import type { Application, Input } from '@berth/contract'
import { type BuildValues, buildChange, buildValues } from './build-values.ts'
import { runtimeChange, runtimeValues } from './runtime-values.ts'
import { type SourceValues, sourceChange, sourceValues } from './source-change.ts'

export type SettingsValues = { name: string; description: string } & SourceValues & BuildValues & ReturnType<typeof runtimeValues>

/** All settings of an app as the values of one form. */
export function settingsValues(app: Application): SettingsValues {
  return { name: app.name, description: app.description, ...sourceValues(app), ...buildValues(app), ...runtimeValues(app) }
}

export function settingsChange(app: Application, values: SettingsValues): Omit<Input<'apps.update'>, 'appId'> {
  const { name, description, port, healthcheckPath, cpuLimit, memoryLimit, replicas, placement, processes, ...more } = values
  const { restartPolicy, deploymentStrategy } = more
  const numbers = { port, cpuLimit, memoryLimit, replicas }
  const runtime = runtimeChange({ ...numbers, placement, processes, healthcheckPath, restartPolicy, deploymentStrategy })
  if (app.app_type === 'database') return { name, description, ...runtime }
  return { name, description, ...buildPart(values), ...sourceChange(app, values), ...runtime }
}

function buildPart(values: SettingsValues): Partial<Input<'apps.update'>> {
  const { builder, installCommand, buildCommand, startCommand, outputDirectory, releaseCommand, buildTarget, buildArgs } = values
  const { submodules, lfs, via } = values
  const commands = { installCommand, buildCommand, startCommand, outputDirectory, releaseCommand }
  return buildChange({ builder, ...commands, buildTarget, buildArgs, submodules, lfs }, via === 'image')
}
