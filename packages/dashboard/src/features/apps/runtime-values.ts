import type { Application } from '@berth/contract'

/** The settings of a running app as texts of a form. An app without a port has the port 0. */
export function runtimeValues(app: Application) {
  return {
    port: app.port === 0 ? '' : String(app.port),
    healthcheckPath: app.healthcheck_path,
    cpuLimit: app.cpu_limit === null ? '' : String(app.cpu_limit),
    memoryLimit: app.memory_limit === null ? '' : String(app.memory_limit),
    restartPolicy: app.restart_policy,
    deploymentStrategy: app.deployment_strategy,
  }
}

/** Empty means "none". Text that is not a number is left for the check to refuse. */
function numberOrNull(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

export function runtimeChange(typed: ReturnType<typeof runtimeValues>) {
  return {
    ...typed,
    port: numberOrNull(typed.port),
    cpuLimit: numberOrNull(typed.cpuLimit),
    memoryLimit: numberOrNull(typed.memoryLimit),
  }
}

/** Where other apps of the project reach this one. */
export function internalAddress(app: Pick<Application, 'slug' | 'port'>): string {
  return app.port === 0 ? app.slug : `${app.slug}:${app.port}`
}
