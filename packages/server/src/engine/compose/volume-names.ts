import { hash } from 'node:crypto'

/** A volume that the file names. Compose gave it this name in earlier versions, and the data is there. */
export function namedVolume(prefix: string, name: string): string {
  return `${prefix}_${name}`
}

/** One without a name belongs to a service and a path, so that the service that takes its place finds the data again. */
export function anonymousVolume(prefix: string, service: string, path: string): string {
  return `${prefix}-v${hash('sha256', `${service}:${path}`, 'hex').slice(0, 16)}`
}
