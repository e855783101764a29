import { pino } from 'pino'
import { expect, it } from 'vitest'
import { addApp, addLiveRelease } from '../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../testing/harness/test-database.ts'
import { setWanted } from '../../../domain/app-status.ts'
import type { ReleaseConfig } from '../../../domain/release-config.ts'
import type { ContainerSummary } from '../../../engine/container-state.ts'
import { DeploymentFailure } from '../run/stage.ts'
import type { Launcher } from './release.ts'
import { createRestore } from './restore.ts'

type Given = {
  hasSurplus?: boolean
  problem?: DeploymentFailure
  /** The replicas that run, and how many are wanted. */
  running?: readonly number[]
  wanted?: number
  /** Names a volume that is for one container. */
  holdsDataAlone?: true
  /** Somebody stops the app while this is done. */
  stopAt?: 'complete' | 'healthy'
  unhealthy?: DeploymentFailure
}

/** What is done to the live release of an app. */
async function restored({ hasSurplus = false, problem, running = [], wanted = 1, holdsDataAlone, stopAt, unhealthy }: Given = {}) {
  await using test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  await addLiveRelease(db, app)
  await db.transaction(async (tx) => {
    await tx.updateTable('app').set({ replicas: wanted }).execute()
  })
  const events: string[] = []
  const note = async (event: string) => {
    events.push(event)
    if (event === stopAt) await db.transaction(async (tx) => await setWanted(tx, app.id, 'stopped'))
  }
  const config: Partial<ReleaseConfig> = { type: 'web', env: {}, volumes: holdsDataAlone ? [{ name: 'data', path: '/data' }] : [] }
  const found = running.map((replica) => ({ id: `c${replica}`, state: 'running', owner: { service: null, replica } }))
  const launcher: Launcher = {
    retireOld: async () => await note('retire'),
    start: async () => await Promise.reject(new Error('a whole release is not started')),
    replicas: {
      complete: async (context, _artifact, why) => {
        if (why) throw why
        await context.effect('engine.start', async () => await note('complete'))
        return {
          waitHealthy: async () => {
            if (unhealthy) throw unhealthy
            await context.ask(async () => await note('healthy'))
          },
        }
      },
      hasSurplus: async () => hasSurplus,
      removeSurplus: async () => await note('remove surplus'),
    },
    removeOld: async () => await note('remove others'),
    undo: async () => await note('undo'),
  }
  const restore = createRestore({
    db,
    containers: {
      isServing: async () => found.length > 0,
      ofRelease: async () => found as unknown as ContainerSummary[], // only what is looked at
    },
    stop: async (id) => await note(`stop ${id}`),
    routes: { drain: async () => await note('drain') },
    settingsOf: async () => ({ config: config as ReleaseConfig, sealed: '', ...(problem && { problem }) }), // the same
    launchers: { container: launcher, compose: launcher },
    sharedPlans: undefined,
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

it('removes what is too much before it starts anything if the data is for one container, whether or not that one answers', async () => {
  const { events } = await restored({ running: [1, 2], holdsDataAlone: true })
  expect(events).toEqual(['remove others', 'drain', 'remove surplus', 'complete', 'healthy'])
  expect((await restored({ running: [1], holdsDataAlone: true })).events).toEqual(['remove others', 'complete', 'healthy'])
  expect((await restored({ running: [1, 2] })).events).toEqual(['remove others', 'complete', 'healthy'])
})

it('ends when the app is stopped meanwhile, stops what was started since, and leaves the status to whoever stopped it', async () => {
  const running = [1, 2]
  const during = await restored({ stopAt: 'complete', running, wanted: 2 })
  expect(during).toMatchObject({ status: 'stopped', events: ['remove others', 'complete', 'stop c1', 'stop c2'] })
  const atTheEnd = await restored({ stopAt: 'healthy', running, wanted: 2 })
  expect(atTheEnd).toMatchObject({ status: 'stopped', events: ['remove others', 'complete', 'healthy', 'stop c1', 'stop c2'] })
})

it('says which replica did not become healthy while the others serve', async () => {
  const unhealthy = new DeploymentFailure('Replica 2: nothing responds on port 3000.')
  expect(await restored({ unhealthy, running: [1, 2], wanted: 2 })).toMatchObject({
    status: 'running',
    status_reason: 'Replica 2: nothing responds on port 3000.',
  })
})
