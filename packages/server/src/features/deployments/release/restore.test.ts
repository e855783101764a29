import { pino } from 'pino'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../testing/harness/test-database.ts'
import type { ReleaseConfig } from '../../../domain/release-config.ts'
import { DeploymentFailure } from '../run/stage.ts'
import { moveDeployment } from '../store.ts'
import { createRestore } from './restore.ts'

/** What is done to the live release of an app. */
async function restored({ hasSurplus = false, problem }: { hasSurplus?: boolean; problem?: DeploymentFailure } = {}) {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  const { id } = await addDeployment(db, app, { sealed_config: '', image: 'i' })
  await db.transaction(
    async (tx) => await moveDeployment(tx, { id, from: 'deploying', to: 'success', at: new Date(), change: { is_active: 1 } }),
  )
  const events: string[] = []
  const note = async (event: string) => void events.push(event)
  const restore = createRestore({
    db,
    isServing: async () => false,
    routes: { drain: async () => await note('drain') },
    settingsOf: async () => ({ config: { env: {} } as ReleaseConfig, sealed: '', ...(problem && { problem }) }), // the same
    launcherOf: () => ({
      retireOld: async () => await note('retire'),
      start: async () => await Promise.reject(new Error('a whole release is not started')),
      replicas: {
        complete: async (_context, _artifact, why) => {
          if (why) throw why
          await note('complete')
          return { waitHealthy: async () => await note('healthy') }
        },
        hasSurplus: async () => hasSurplus,
        removeSurplus: async () => await note('remove surplus'),
      },
      removeOld: async () => await note('remove others'),
      undo: async () => await note('undo'),
    }),
    step: async (_name, effect) => await effect(),
    now: () => new Date(),
    log: pino({ level: 'silent' }),
    onChanged: () => undefined,
  })
  await restore({ appId: app.id }, new AbortController().signal)
  const { status, status_reason } = await db.selectFrom('app').select(['status', 'status_reason']).executeTakeFirstOrThrow()
  return { events, status, status_reason }
}

it('removes containers of other releases first, starts what is missing, and removes what is too much once visitors have left it', async () => {
  expect(await restored()).toMatchObject({ status: 'running', events: ['remove others', 'complete', 'healthy'] })
  const { events } = await restored({ hasSurplus: true })
  expect(events).toEqual(['remove others', 'complete', 'healthy', 'drain', 'remove surplus'])
})

it('says so if its settings cannot be read', async () => {
  const problem = new DeploymentFailure('The settings cannot be read.')
  expect(await restored({ problem })).toMatchObject({ status: 'error', status_reason: 'The settings cannot be read.' })
})
