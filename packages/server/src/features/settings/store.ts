import type { Settings } from '@berth/contract'
import type { Reader, Tx } from '../../store/database.ts'

const DEFAULTS: Settings = {
  wildcardDomain: '',
  automaticDomain: 'sslip.io',
  dashboardDomain: '',
  acmeEmail: '',
  acmeDirectory: '',
  retention: 5,
  concurrency: 0,
  backupSchedule: 'daily',
  backupsKept: 7,
  updateFeed: '',
  updateChannel: 'stable',
  automaticUpdates: 'off',
  updateWindow: '02:00-05:00',
}

export async function readSettings(db: Reader): Promise<Settings> {
  const rows = await db.selectFrom('setting').selectAll().execute()
  const stored: Record<string, unknown> = Object.fromEntries(rows.map((row) => [row.name, JSON.parse(row.value)]))
  return { ...DEFAULTS, ...stored }
}

export async function writeSetting(tx: Tx, name: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value)
  await tx
    .insertInto('setting')
    .values({ name, value: text })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: text }))
    .execute()
}
