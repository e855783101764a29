import { expect, it } from 'vitest'
import { openOldDatabase } from '../../../testing/harness/old-database.ts'

it('nodes that are there have seen no challenge, and a host has one certificate of each source', async () => {
  using old = await openOldDatabase(26)
  const { file } = old
  old.insert('control_plane', { name: 'a' })
  await old.migrateTo(27)
  expect(file.prepare('select name, challenge_seen from control_plane').all()).toEqual([{ name: 'a', challenge_seen: 0 }])
  old.insert('certificate', { host: 'a.test', source: 'acme' })
  old.insert('certificate', { host: 'a.test', source: 'uploaded' })
  expect(() => old.insert('certificate', { host: 'a.test', source: 'acme' })).toThrow(/UNIQUE/)
})
