import type { Application } from '@berth/contract'
import { processesIn, processRows } from '../../shared/process-values.ts'

/** The runtime settings as form values. Port 0 means that the app has no port. */
export function runtimeValues(app: Application) {
  return {
    port: app.port === 0 ? '' : String(app.port),
    healthcheckPath: app.healthcheck_path,
    cpuLimit: app.cpu_limit === null ? '' : String(app.cpu_limit),
    memoryLimit: app.memory_limit === null ? '' : String(app.memory_limit),
    replicas: String(app.replicas),
    placement: app.placement,
    processes: processRows(app.processes),
    restartPolicy: app.restart_policy,
    deploymentStrategy: app.deployment_strategy,
  }
}

/** Empty means "none". Text that is not a number becomes NaN, which the check refuses. */
function numberOrNull(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

export function runtimeChange(typed: ReturnType<typeof runtimeValues>) {
  return {
    ...typed,
    port: numberOrNull(typed.port),
    cpuLimit: numberOrNull(typed.cpuLimit),
    memoryLimit: numberOrNull(typed.memoryLimit),
    replicas: typed.replicas.trim() === '' ? Number.NaN : Number(typed.replicas),
    processes: processesIn(typed.processes),
  }
}

/** Whether several containers of it may run at once. */
export function mayHaveReplicas({ app_type }: Pick<Application, 'app_type'>): boolean {
  return app_type === 'web' || app_type === 'service'
}

/** The address of this app for other apps in the project. */
export function internalAddress(app: Pick<Application, 'slug' | 'port'>): string {
  return app.port === 0 ? app.slug : `${app.slug}:${app.port}`
}
