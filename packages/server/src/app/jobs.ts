import type { JobHandlers } from '../domain/job-names.ts'

/** What happens in the background, and who does it. A job without a handler does not compile. */
export function jobHandlers(parts: {
  runDeployment: JobHandlers['deployment.run']
  restore: JobHandlers['app.restore']
  removeApp: JobHandlers['app.remove']
  moveApp: JobHandlers['app.move']
  removeVolume: JobHandlers['volume.remove']
}): JobHandlers {
  return {
    'deployment.run': parts.runDeployment,
    'app.restore': parts.restore,
    'app.remove': parts.removeApp,
    'app.move': parts.moveApp,
    'volume.remove': parts.removeVolume,
  }
}
