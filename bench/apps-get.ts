import { makeDataDir } from './lib/berth.ts'
import { seed } from './lib/seed.ts'
import { printShare } from './lib/share.ts'

/** The list that the dashboard asks for most, with 50 apps. */
const dataDir = makeDataDir()
await seed(dataDir, { projects: 1, appsEach: 50, deploymentsEach: 0, auditEntries: 0 })
await printShare({
  name: 'POST /api/apps/get',
  dataDir,
  method: 'POST',
  path: '/api/apps/get',
  body: JSON.stringify({ projectId: 1 }),
  aim: 0.5,
})
