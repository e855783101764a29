import { Backup, Backups, NamedBackup, VerifiedBackup } from '../backups.ts'
import { operation } from '../operation.ts'

/** Backups of Berth itself, as files on its server. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const backupOperations = {
  'backups.list': operation({
    summary: 'List the backups of Berth on its server',
    method: 'GET', path: '/api/backups', may: 'owner', answer: Backups,
  }),
  'backups.create': operation({
    summary: 'Back up Berth now',
    method: 'POST', path: '/api/backups/create', may: 'owner', answer: Backup,
  }),
  'backups.verify': operation({
    summary: 'Check that a backup is complete and unchanged',
    method: 'POST', path: '/api/backups/verify', may: 'owner', body: NamedBackup, answer: VerifiedBackup,
  }),
  'backups.download': operation({
    summary: 'Download a backup; without a passphrase it holds the keys to all secrets',
    method: 'GET', path: '/api/backups/download', may: 'owner', query: NamedBackup, shape: 'file',
  }),
  'backups.delete': operation({
    summary: 'Delete a backup',
    method: 'DELETE', path: '/api/backups/delete', may: 'owner', body: NamedBackup, answer: NamedBackup,
  }),
} as const
