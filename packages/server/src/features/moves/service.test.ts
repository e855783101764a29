import type { Application } from '@berth/contract'
import { expect, it } from 'vitest'
import { addApp, asCall } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { decideAppData, findDataMove, insertLeftVolume } from '../../domain/app-data.ts'
import { PLATFORM } from '../../domain/audit.ts'
import type { Engine } from '../../engine/engine.ts'
import { createMoves } from './service.ts'
import { insertMove } from './store.ts'

const SERVERS = {
  here: { nodeId: 'n1', name: 'n1', isReady: true, isOpen: false },
  b: { nodeId: 'n2', name: 'n2', isReady: true, isOpen: true },
  c: { nodeId: 'n3', name: 'n3', isReady: false, isOpen: false },
  d: { nodeId: 'n4', name: 'n4', isReady: true, isOpen: false },
} as const

async function openLab(at?: string) {
  const test = await openTestDatabase()
  const { db } = test
  const app = await addApp(db, 'a@example.test')
  if (at !== undefined)
    await db.transaction(async (tx) => await decideAppData(tx, { app_id: app.id, server: at, server_name: 'n3', decided_at: '' }))
  const engine = {
    placement: { isSwarm: async () => true, serverOf: async (id: keyof typeof SERVERS) => SERVERS[id] },
    swarm: { state: async () => ({ is: 'ours', nodeId: 'n1' }) },
  } as unknown as Engine // only what is called
  const moves = createMoves({ db, engine, instance: 'i', present: async () => ({}) as Application, now: () => new Date() })
  const caller = {
    id: app.created_by,
    email: 'a@example.test',
    role: 'user',
    createdAt: '',
    sessionId: '',
    origin: PLATFORM.origin,
  } as const
  return {
    db,
    app,
    stop: async () => await moves.stop(caller, app),
    move: async (server: string, change: object = {}) => await moves.request(asCall(caller, { ...app, ...change }), server),
    [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose](),
  }
}

it('a move is a row and a job, and there is one at a time', async () => {
  await using lab = await openLab('this')
  await lab.move('b')
  expect(await findDataMove(lab.db, lab.app.id)).toMatchObject({ from_server: 'this', to_server: 'b', to_name: 'n2', stage: 'copying' })
  expect(await lab.db.selectFrom('job').select(['name', 'lane']).execute()).toEqual([{ name: 'app.move', lane: `app:${lab.app.id}` }])
  await expect(lab.move('b')).rejects.toMatchObject({ code: 'move_under_way' })
})

it('a move is stopped while data is copied, and not after that', async () => {
  await using lab = await openLab('this')
  await expect(lab.stop()).rejects.toMatchObject({ code: 'move_not_running' })
  await lab.move('b')
  await lab.stop()
  const move = await findDataMove(lab.db, lab.app.id)
  expect(move).toMatchObject({ stage: 'back', problem: 'The app was not moved to the server n2: a@example.test stopped the move.' })
  await expect(lab.stop()).rejects.toMatchObject({ code: 'move_not_running' })
})

it('one app is moved at a time: deployments need the other slots', async () => {
  await using lab = await openLab('this')
  const { id } = await addApp(lab.db, 'b@example.test')
  const places = { from_server: 'this', from_name: '', from_placement: '', to_server: 'b', to_name: 'n2' }
  await lab.db.transaction(async (tx) => await insertMove(tx, { app_id: id, ...places, stage: 'copying', problem: '' }))
  await expect(lab.move('b')).rejects.toMatchObject({ code: 'move_under_way', message: expect.stringContaining('Another app') })
})

it.each([
  ['this', 'x', 'server_not_found', ''],
  ['this', 'd', 'server_refused', 'The server n4 takes no containers now'],
  ['this', 'here', 'server_refused', 'on this server already'],
  ['b', 'b', 'server_refused', 'on this server already'],
  ['c', 'b', 'server_away', 'The server n3, which has the data of the app, does not answer'],
  [undefined, 'b', 'invalid_request', 'must be an app that was deployed with volumes'],
])('data on %s is not moved to %s: %s', async (from, to, code, words) => {
  await using lab = await openLab(from)
  await expect(lab.move(to)).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
})

it('a compose app is not moved, and nothing to where an old copy is still being removed', async () => {
  await using lab = await openLab('this')
  await expect(lab.move('b', { app_type: 'compose' })).rejects.toMatchObject({ code: 'invalid_request' })
  await lab.db.transaction(async (tx) => await insertLeftVolume(tx, { app_id: lab.app.id, server: 'b', volume: '' }))
  await expect(lab.move('b')).rejects.toMatchObject({ message: expect.stringContaining('still being removed') })
})
