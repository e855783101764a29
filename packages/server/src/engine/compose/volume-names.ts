import { hash } from 'node:crypto'
import type { PlacedFile } from './stack.ts'

/** A volume that the file names. Compose gave it this name in earlier versions, and the data is there. */
export function namedVolume(prefix: string, name: string): string {
  return `${prefix}_${name}`
}

/** One without a name belongs to a service and a path, so that the service that takes its place finds the data again. */
export function anonymousVolume(prefix: string, service: string, path: string): string {
  return `${prefix}-v${word(`${service}:${path}`)}`
}

/** A folder of the repository that services may change: data that began with the files of a commit. */
export function folderVolume(prefix: string, path: string): string {
  return `${prefix}-b${word(path)}`
}

/** A folder of the repository that nobody changes: other files are another volume. */
export function contentVolume(prefix: string, files: readonly PlacedFile[]): string {
  const known = words.get(files) ?? word(JSON.stringify(files))
  words.set(files, known)
  return `${prefix}-f${known}`
}

/** A long list may be mounted many times. */
const words = new WeakMap<readonly PlacedFile[], string>()

export function isContentVolume(name: string): boolean {
  return /^berth-[a-z0-9]+-app-\d+-f[0-9a-f]{16}$/.test(name)
}

function word(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16)
}
