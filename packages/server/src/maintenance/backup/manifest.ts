import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { DamagedBackup } from './damaged-backup.ts'

export const MANIFEST = 'manifest.json'

const Manifest = Type.Object({
  format: Type.Literal(1),
  version: Type.String(),
  commit: Type.String(),
  createdAt: Type.String(),
  instance: Type.String(),
  schemaVersion: Type.Integer(),
  files: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})
/** The last file of a backup: its origin, and the checksum of all other files. */
export type Manifest = Static<typeof Manifest>

export function parseManifest(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new DamagedBackup('its manifest cannot be read', { cause })
  }
  if (!Value.Check(Manifest, value)) throw new DamagedBackup('its manifest is not one that this version of Berth understands')
  return value
}
