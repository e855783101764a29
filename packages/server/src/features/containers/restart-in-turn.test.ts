import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { addApp, addDeployment, asCall } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { setWanted } from '../../domain/app-status.ts'
import { PLATFORM } from '../../domain/audit.ts'
import { placesOf } from '../../domain/processes.ts'
import type { AppRow } from '../../domain/rows.ts'
import { setServiceStopped } from '../../domain/stopped-services.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Db } from '../../store/database.ts'
import { moveDeployment } from '../deployments/store.ts'
import type { LiveRelease } from './live-release.ts'
import { createRestartInTurn } from './restart-in-turn.ts'
import { createContainers } from './service.ts'
import { mayRestart } from './store.ts'

async function addLive(db: Db, app: AppRow): Promise<number> {
  const { id } = await addDeployment(db, app, { sealed_config: '', image: 'i' })
  await becomesLive(db, id)
  return id
}

async function becomesLive(db: Db, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.updateTable('deployment').set({ is_active: 0 }).execute()
    await moveDeployment(tx, { id, from: 'deploying', to: 'success', at: new Date(), change: { is_active: 1 } })
  })
}

/**
 * An app with three replicas, of which two are wanted, and two workers, of which one is. `onEffect` is called when one of them was
 * started, stopped, restarted, or has lost its visitors. `states` are those of the containers.
 */
async function open(onEffect: (effect: string) => Promise<void> = async () => undefined, states: Record<string, string> = {}) {
  const test = await openTestDatabase()
  const { db } = test
  const { id, created_by } = await addApp(db, 'a@example.test')
  const app = await db.transaction(
    async (tx) => await tx.updateTable('app').set({ replicas: 2 }).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
  )
  const deploymentId = await addLive(db, app)
  const effects: string[] = []
  const effect = (verb: string) => async (container: string) => {
    effects.push(`${verb} ${container}`)
    await onEffect(`${verb} ${container}`)
  }
  const processes = JSON.stringify([{ name: 'worker', command: 'work', replicas: 1 }])
  const found = [
    ...[1, 2, 3].map((replica) => ({ id: `c${replica}`, owner: { service: null, replica, deploymentId } })),
    ...[1, 2].map((replica) => ({ id: `worker${replica}`, owner: { service: 'worker', replica, deploymentId } })),
  ].map((each) => ({ ...each, state: states[each.id] ?? 'running' }))
  const containers = createContainers({
    db,
    engine: { containers: { startAgain: effect('start') } } as unknown as Engine, // only what is called
    livePlaces: async (of, release) => placesOf(of, release), // no volumes
    lastFailedLog: async () => '',
    liveRelease: async () => ({ deploymentId, processes, containers: found }) as unknown as Awaited<ReturnType<LiveRelease>>, // likewise
    step: async (_name, work) => await work(),
    stopInTime: { stop: effect('stop'), restart: effect('restart') },
    restartInTurn: createRestartInTurn({
      answers: async () => true,
      visitedPlaces: async () => new Map([[null, [{ port: 3000, path: '' }]]]),
      mayRestart: async (appId, owner) => await mayRestart(db, appId, owner),
      withoutVisitors: async (_appId, container, work) => {
        await effect('without')(container)
        await work()
      },
      healthDeadlineMs: 1000,
    }),
    now: () => new Date(),
    onWanted: () => undefined,
    onChanged: () => undefined,
  })
  const caller = { id: created_by, email: '', role: 'user', createdAt: '', sessionId: '', origin: PLATFORM.origin } as const
  return {
    db,
    app,
    effects,
    apply: async (verb: 'start' | 'restart') => await containers.apply(asCall(caller, app), { verb }),
    status: async () => (await db.selectFrom('app').select('status').executeTakeFirstOrThrow()).status,
    [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose](),
  }
}

it('restarts those that are wanted, one after the other', async () => {
  await using test = await open()
  await test.apply('restart')
  expect(test.effects).toEqual(['without c1', 'restart c1', 'without c2', 'restart c2', 'restart worker1'])
  expect(await test.status()).toBe('running')
})

/** Once that has happened. */
const after = (wanted: string, then: () => Promise<unknown>) => async (effect: string) => void (effect === wanted && (await then()))

it('those that are down are restarted first, and can have the visitors of the others', async () => {
  await using test = await open(undefined, { c1: 'running', c2: 'exited' })
  await test.apply('restart')
  expect(test.effects).toEqual(['without c2', 'restart c2', 'without c1', 'restart c1', 'restart worker1'])
})

it('a second restart of the same app waits for the first', async () => {
  await using test = await open(async () => await sleep(20))
  await Promise.all([test.apply('restart'), test.apply('restart')])
  const once = ['without c1', 'restart c1', 'without c2', 'restart c2', 'restart worker1']
  expect(test.effects).toEqual([...once, ...once])
})

it('does not undo a stop that comes while the requests of a container end', async () => {
  const stop = async () => await test.db.transaction(async (tx) => await setWanted(tx, test.app.id, 'stopped'))
  await using test = await open(after('without c2', stop))
  await test.apply('restart')
  expect(test.effects).toEqual(['without c1', 'restart c1', 'without c2'])
  expect(await test.status()).toBe('stopped')
})

it('starts nothing of a release that a deployment replaces, or has replaced, while the requests of a container end', async () => {
  const begin = async () => await addDeployment(test.db, test.app, { sealed_config: '', image: 'i' })
  await using test = await open(after('without c1', begin))
  await test.apply('restart')
  expect(test.effects).toEqual(['without c1'])
  const replace = async () => await becomesLive(other.db, (await addDeployment(other.db, other.app, { sealed_config: '', image: 'i' })).id)
  await using other = await open(after('without c1', replace))
  await other.apply('restart')
  expect(other.effects).toEqual(['without c1'])
})

it('ends when the app is stopped meanwhile, and does not say that it runs', async () => {
  const stop = async () => await test.db.transaction(async (tx) => await setWanted(tx, test.app.id, 'stopped'))
  await using test = await open(after('restart c1', stop))
  await test.apply('restart')
  expect(test.effects).toEqual(['without c1', 'restart c1'])
  expect(await test.status()).toBe('stopped')
})

it('ends when a deployment begins to replace the containers', async () => {
  await using test = await open(after('restart c1', async () => await addDeployment(test.db, test.app, { sealed_config: '', image: 'i' })))
  await test.apply('restart')
  expect(test.effects).toEqual(['without c1', 'restart c1'])
  expect(await test.status()).toBe('stopped') // as it was
})

it('a start leaves out replicas that are no longer wanted', async () => {
  await using test = await open()
  await test.apply('start')
  expect(test.effects).toEqual(['start c1', 'start c2', 'start worker1'])
})

/** A compose app with two replicas of each of its services, of which visitors reach one. */
async function restartStack(onRestart: (db: Db, appId: number) => Promise<void> = async () => undefined) {
  await using test = await openTestDatabase()
  const { id } = await addApp(test.db, 'a@example.test')
  const app = await test.db.transaction(
    async (tx) =>
      await tx
        .updateTable('app')
        .set({ app_type: 'compose', wanted: 'running' })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),
  )
  const deploymentId = await addLive(test.db, app)
  const [effects, underWay] = [[] as string[], new Set<string>()]
  const restartInTurn = createRestartInTurn({
    answers: async (_app, container, { port, path }) => {
      effects.push(`${container} answers at ${port}${path}`)
      return true
    },
    visitedPlaces: async () => new Map([['web', [3000, 9000].map((port) => ({ port, path: port === 3000 ? '/ready' : '' }))]]),
    mayRestart: async (appId, owner) => await mayRestart(test.db, appId, owner),
    withoutVisitors: async (_appId, container, work) => {
      underWay.add(container)
      expect(underWay.size).toBe(1)
      await work()
      underWay.delete(container)
    },
    healthDeadlineMs: 1000,
  })
  const all = ['web', 'worker'].flatMap((service) =>
    [1, 2].map((replica) => ({ id: `${service}${replica}`, owner: { service, replica, deploymentId } })),
  )
  await restartInTurn(app, all as unknown as Parameters<typeof restartInTurn>[1], async (container) => {
    effects.push(`restart ${container}`)
    await onRestart(test.db, app.id)
  })
  return effects
}

it('in a compose app the replicas of a service with visitors take turns, and those of others restart at once', async () => {
  const effects = await restartStack()
  const ofWeb = effects.filter((effect) => effect.includes('web'))
  expect(ofWeb).toEqual([
    'restart web1',
    'web1 answers at 3000/ready',
    'web1 answers at 9000',
    'restart web2',
    'web2 answers at 3000/ready',
    'web2 answers at 9000',
  ])
  expect(effects.filter((effect) => effect.includes('worker'))).toEqual(['restart worker1', 'restart worker2'])
})

it('a service that is stopped meanwhile is not started again', async () => {
  const stop = async (db: Db, appId: number) =>
    void (await db.transaction(async (tx) => await setServiceStopped(tx, appId, { service: 'web', isStopped: true })))
  const effects = await restartStack(stop)
  expect(effects.filter((effect) => effect.startsWith('restart web'))).toEqual(['restart web1'])
})
