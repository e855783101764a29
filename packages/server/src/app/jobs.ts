import type { JobHandlers } from '../domain/job-names.ts'

/** What happens in the background, and who does it. A job without a handler does not compile. */
export function jobHandlers(parts: {
  runDeployment: JobHandlers['deployment.run']
  restore: JobHandlers['app.restore']
  removeApp: JobHandlers['app.remove']
  removeVolume: JobHandlers['volume.remove']
}): JobHandlers {
  return {
    'deployment.run': parts.runDeployment,
    'app.restore': parts.restore,
    'app.remove': parts.removeApp,
    'volume.remove': parts.removeVolume,
  }
}
