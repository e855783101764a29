import { pino } from 'pino'
import { expect, it } from 'vitest'
import { addApp, addDeployment } from '../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../testing/harness/test-database.ts'
import type { ReleaseConfig } from '../../../domain/release-config.ts'
import type { ContainerSummary } from '../../../engine/container-state.ts'
import { DeploymentFailure } from '../run/stage.ts'
import { moveDeployment } from '../store.ts'
import { createRestore } from './restore.ts'

/** The live release of an app, whose containers have these states. */
async function restored(states: readonly string[], problem?: DeploymentFailure) {
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
    containers: { ofDeployment: async () => states.map((state, at) => ({ id: `c${at}`, state }) as ContainerSummary) }, // no other field is read
    startAgain: async (containerId) => await note(`start ${containerId} again`),
    settingsOf: async () => ({ config: { env: {} } as ReleaseConfig, sealed: '', ...(problem && { problem }) }), // the same
    launcherOf: () => ({
      retireOld: async () => await note('retire'),
      start: async () => {
        await note('start')
        return { target: undefined, waitHealthy: async () => await note('healthy'), checkAlive: async () => undefined }
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

it.each([
  ['was stopped', ['exited'], ['remove others', 'start c0 again']],
  ['is gone', [], ['remove others', 'start', 'healthy']],
  ['runs', ['running'], ['remove others']],
])('containers of other releases are removed first; a live release that %s is started if it has to be', async (_, states, events) => {
  expect((await restored(states)).events).toEqual(events)
})

it('says so if its settings cannot be read, and starts what is there', async () => {
  const problem = new DeploymentFailure('The settings cannot be read.')
  expect(await restored([], problem)).toMatchObject({ status: 'error', status_reason: 'The settings cannot be read.' })
  expect(await restored(['exited'], problem)).toMatchObject({ status: 'running', events: ['remove others', 'start c0 again'] })
})
