import { mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { createSweepLogs } from './sweep-logs.ts'

it('removes the logs of deployments that are gone, and nothing else', async () => {
  await using test = await openTestDatabase()
  await using directory = await mkdtempDisposable(path.join(tmpdir(), 'berth-logs-'))
  const { id } = await addDeployment(test.db, await addApp(test.db, 'a@example.test'), { sealed_config: '', image: '' })
  const logs = path.join(directory.path, 'logs')
  const kept = [`d${id}.log`, `d${id}-container.log`, 'notes.txt']
  await mkdir(logs)
  for (const name of [...kept, `d${id + 1}.log`, `d${id + 1}-container.log`]) await writeFile(path.join(logs, name), ' one\n')
  await createSweepLogs({ db: test.db, dataDir: directory.path })()
  expect((await readdir(logs)).toSorted()).toEqual(kept.toSorted())
})
