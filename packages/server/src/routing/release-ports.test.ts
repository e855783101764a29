import { expect, it } from 'vitest'
import { addApp, addLiveRelease } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { createReleasePorts } from './release-ports.ts'
import { routedApps, sealedConfigOf } from './store.ts'

const LARGE = 'x'.repeat(500_000)

it('the settings of a release, which may be large, are read once for its port and in no list of apps', async () => {
  await using test = await openTestDatabase()
  const live = []
  for (const name of ['a', 'b', 'c']) {
    const app = await addApp(test.db, `${name}@example.test`)
    live.push((await addLiveRelease(test.db, app, { sealed_config: name + LARGE })).id)
  }
  const read: number[] = []
  const ports = createReleasePorts({
    releaseOf(_, sealedConfig) {
      if (sealedConfig.startsWith('c')) throw new Error('cannot be opened')
      return { port: sealedConfig.startsWith('a') ? 3000 : null, healthcheckPath: '/ready' }
    },
    async sealedConfigOf(id) {
      read.push(id)
      return await sealedConfigOf(test.db, id)
    },
  })
  for (let looks = 0; looks < 3; looks += 1) {
    const apps = await routedApps(test.db)
    expect(JSON.stringify(apps).length).toBeLessThan(1000)
    await ports.learn(apps)
    expect(apps.map((app) => ports.of({ ...app, port: 80 }))).toEqual([3000, null, 80])
    expect(apps.map(ports.pathOf)).toEqual(['/ready', '/ready', ''])
  }
  expect(read).toEqual(live)
})
