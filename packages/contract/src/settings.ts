import Type, { type Static } from 'typebox'
import { expects, OneOf } from './fields.ts'

export const BACKUP_SCHEDULES = ['off', 'daily', 'weekly'] as const
export const UPDATE_CHANNELS = ['stable', 'next'] as const
export const AUTOMATIC_UPDATES = ['off', 'patch', 'all'] as const

const settings = {
  wildcardDomain: Type.String({ maxLength: 1000, ...expects('a host name such as apps.example.com, or empty') }),
  automaticDomain: Type.String({
    maxLength: 1000,
    ...expects('a DNS service such as sslip.io that resolves addresses in host names, or empty'),
  }),
  dashboardDomain: Type.String({ maxLength: 1000, ...expects('a host name such as berth.example.com, or empty') }),
  acmeEmail: Type.String({ maxLength: 254, pattern: '^([^\\s@]+@[^\\s@]+)?$', ...expects('an email address, or empty') }),
  acmeDirectory: Type.String({
    maxLength: 1000,
    pattern: '^(https://[^\\s@/?#]+(/\\S*)?)?$',
    ...expects('an https address without a password, or empty'),
  }),
  retention: Type.Integer({ minimum: 1, maximum: 50, ...expects('a whole number of releases between 1 and 50') }),
  concurrency: Type.Integer({ minimum: 0, maximum: 64, ...expects('a whole number between 0 (automatic) and 64') }),
  backupSchedule: OneOf(BACKUP_SCHEDULES),
  backupsKept: Type.Integer({ minimum: 1, maximum: 100, ...expects('a whole number of backups between 1 and 100') }),
  updateFeed: Type.String({ maxLength: 1000, pattern: '^(https://\\S+)?$', ...expects('an https address, or empty') }),
  updateChannel: OneOf(UPDATE_CHANNELS),
  automaticUpdates: OneOf(AUTOMATIC_UPDATES),
  updateWindow: Type.String({
    pattern: '^((?:[01]\\d|2[0-3]):[0-5]\\d-(?:[01]\\d|2[0-3]):[0-5]\\d)?$',
    ...expects('a time span in UTC such as 02:00-05:00, or empty for any time'),
  }),
}

export const Settings = Type.Object(settings)
export type Settings = Static<typeof Settings>
export const SettingsChange = Type.Partial(Settings)
