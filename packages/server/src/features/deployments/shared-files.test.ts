import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createSecretBox } from '../../lib/secret-box.ts'
import { createKeptOutput } from './log/kept-output.ts'
import { createSharedFiles } from './shared-files.ts'

it('another node reads the kept output of a failed container, which is stored sealed', async () => {
  await using test = await openTestDatabase()
  const root = await mkdtemp(join(tmpdir(), 'berth-output-'))
  const shared = createSharedFiles({ db: test.db, secrets: createSecretBox(randomBytes(32)) })
  const [a, b] = ['a', 'b'].map((name) => createKeptOutput({ directory: join(root, name), log: { warn: () => undefined }, shared }))
  const { id } = await addDeployment(test.db, await addApp(test.db, 'a@example.test'), { sealed_config: '', image: '' })
  expect(await b?.read(id, 10)).toBe('')
  for (const lines of [['old'], ['one', 'two']])
    await a?.keep(
      id,
      lines.map((line) => ({ at: '2026-01-01T00:00:00Z', line })),
    )
  expect(await b?.read(id, 1)).toBe('2026-01-01T00:00:00Z two')
  const rows = await test.db.selectFrom('deployment_file').selectAll().execute()
  expect([rows.length, JSON.stringify(rows).includes('two')]).toEqual([1, false])
  await rm(root, { recursive: true })
})
