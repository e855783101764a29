import { hash } from 'node:crypto'
import type { PlacedFile } from './stack.ts'

/** A volume named in the file. Compose used this name in earlier versions, and the data is there. */
export function namedVolume(prefix: string, name: string): string {
  return `${prefix}_${name}`
}

/** An anonymous volume is named after its service and path, so that the next container of the service finds the data. */
export function anonymousVolume(prefix: string, service: string, path: string): string {
  return `${prefix}-v${word(`${service}:${path}`)}`
}

/** Of several containers of a service each has its own anonymous volumes, as with Compose. The first has those of a single one. */
export function volumeOfReplica(prefix: string, volume: string, replica: number): string {
  const isAnonymous = /^[0-9a-f]{64}$/.test(volume) || /-v[0-9a-f]{16}$/.test(volume)
  return isAnonymous && replica > 1 ? `${prefix}-v${word(`${volume}:${replica}`)}` : volume
}

/** A writable folder of the repository: data that started with the files of a commit. */
export function folderVolume(prefix: string, path: string): string {
  return `${prefix}-b${word(path)}`
}

/** A read-only folder of the repository: named after its content, so that other files are another volume. */
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
