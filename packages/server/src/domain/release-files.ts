import type { PlainFile } from '../engine/build/tar.ts'
import type { SecretBox } from '../lib/secret-box.ts'

/** A file of a release, as it is stored with it. */
export type ReleaseFile = { path: string; mode: string; base64: string }

export function aboutFiles(appId: number): string {
  return `files:${appId}`
}

/** Empty if there are none. */
export function sealFiles(secrets: SecretBox, appId: number, files: readonly ReleaseFile[]): string {
  return files.length === 0 ? '' : secrets.seal(JSON.stringify(files), aboutFiles(appId))
}

export function openFiles(secrets: SecretBox, appId: number, sealed: string): PlainFile[] {
  if (sealed === '') return []
  const files = JSON.parse(secrets.open(sealed, aboutFiles(appId))) as ReleaseFile[] // sealed by sealFiles alone, and GCM proves it
  return files.map(({ path, mode, base64 }) => ({ path, mode: Number.parseInt(mode, 8), contents: Buffer.from(base64, 'base64') }))
}
