import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('deployments that cannot be started again lose their settings, and all others keep them', async () => {
  using old = await openOldDatabase(5)
  const rows: [status: string, isActive: number, image: string, mainService: string][] = [
    ['failed', 0, 'i', ''],
    ['stopped', 0, '', ''],
    ['success', 0, '', ''],
    ['rolled_back', 0, '', ''],
    ['success', 1, '', ''],
    ['success', 0, 'i', ''],
    ['rolled_back', 0, 'i', ''],
    ['success', 0, '', 'web'],
    ['pending', 0, '', ''],
    ['deploying', 0, 'i', ''],
  ]
  for (const [index, [status, isActive, image, mainService]] of rows.entries()) {
    const id = index + 1
    const made = { status, is_active: isActive, image, main_service: mainService, sealed_config: 'sealed' }
    old.insert('deployment', { id, number: id, app_id: id, ...made })
  }
  await old.migrateTo(6)
  const kept = old.file.prepare('select sealed_config from deployment order by id').pluck().all()
  expect(kept).toEqual(['', '', '', '', 'sealed', 'sealed', 'sealed', 'sealed', 'sealed', 'sealed'])
})
