import Type, { type Static } from 'typebox'
import { expects } from './fields.ts'

export const Backup = Type.Object({
  name: Type.String(),
  createdAt: Type.String(),
  bytes: Type.Integer(),
  isEncrypted: Type.Boolean(),
})
export type Backup = Static<typeof Backup>

export const Backups = Type.Object({
  /** Where the files are on the server. */
  directory: Type.String(),
  /** What to run on the server to restore one; the file's path is added to it. */
  restoreCommand: Type.String(),
  backups: Type.Array(Backup),
  /** When the next one is due; null if none is scheduled. */
  nextAt: Type.Union([Type.String(), Type.Null()]),
  /** Why the last scheduled one failed; empty if it succeeded. */
  error: Type.String(),
})
export type Backups = Static<typeof Backups>

export const NamedBackup = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, ...expects('the name of a backup, such as berth-2026-01-31T030000.tar.gz') }),
})

export const VerifiedBackup = Type.Object({
  name: Type.String(),
  version: Type.String(),
  createdAt: Type.String(),
  apps: Type.Integer(),
  users: Type.Integer(),
})
export type VerifiedBackup = Static<typeof VerifiedBackup>
