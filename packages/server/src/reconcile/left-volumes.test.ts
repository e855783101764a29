import { once } from 'node:events'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { addApp } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import { decideAppData, insertLeftVolume, listLeftVolumes } from '../domain/app-data.ts'
import { ServerAway } from '../engine/api/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { appVolumeName, volumeName } from '../engine/labels.ts'
import { createLeftVolumes } from './left-volumes.ts'

const GONE_APP = 77

/** The server `b` has volumes of an app that is gone, and of one that is there. */
async function openLab() {
  const test = await openTestDatabase()
  const app = await addApp(test.db, 'a@example.test')
  const all = [appVolumeName('i', GONE_APP, 'data'), volumeName('i', GONE_APP * 10), appVolumeName('i', app.id, 'data')]
  const removed: string[] = []
  const world = { isAway: false, isServer: true }
  const remove = async ({ serverId }: { serverId: string }, name: string, signal: AbortSignal) => {
    if (serverId === 'silent') await once(signal, 'abort')
    signal.throwIfAborted()
    if (world.isAway) throw new ServerAway('it does not answer')
    removed.push(`${serverId} ${name}`)
  }
  const engine = {
    placement: { isSwarm: async () => true, serverOf: async () => (world.isServer ? {} : undefined) },
    placedVolumes: { list: async () => all, remove },
    volumes: { list: async () => [{ name: 'here' }], remove: async (name: string) => void removed.push(`this ${name}`) },
  } as unknown as Engine // only what is called
  const removeLeftVolumes = createLeftVolumes({ db: test.db, engine, instance: 'i', log: pino({ level: 'silent' }) })
  const stopping = new AbortController()
  const removeLeft = async () => await removeLeftVolumes(stopping.signal)
  const leave = async (app_id: number, server: string, volume = '') =>
    await test.db.transaction(async (tx) => await insertLeftVolume(tx, { app_id, server, volume }))
  const dataAt = async (server: string) =>
    await test.db.transaction(async (tx) => await decideAppData(tx, { app_id: app.id, server, server_name: '', decided_at: '' }))
  const left = async () => (await listLeftVolumes(test.db)).length
  return {
    app,
    all,
    stopping,
    removed,
    world,
    removeLeft,
    leave,
    left,
    dataAt,
    [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose](),
  }
}

it('removes the volumes of a deleted app, and no others', async () => {
  await using lab = await openLab()
  await lab.leave(GONE_APP, 'b')
  await lab.removeLeft()
  expect(lab.removed).toEqual([`b ${appVolumeName('i', GONE_APP, 'data')}`])
  expect(await lab.left()).toBe(0)
})

it('waits for a server that is lost, and forgets one that was removed', async () => {
  await using lab = await openLab()
  await lab.leave(GONE_APP, 'b')
  lab.world.isAway = true
  await lab.removeLeft()
  expect(await lab.left()).toBe(1)
  lab.world.isServer = false
  await lab.removeLeft()
  expect(await lab.left()).toBe(0)
  expect(lab.removed).toEqual([])
})

it('removes the old copy of an app that was moved, and nothing where its data is', async () => {
  await using lab = await openLab()
  await lab.dataAt('b')
  await lab.leave(lab.app.id, 'b')
  await lab.leave(lab.app.id, 'this')
  await lab.removeLeft()
  expect(lab.removed).toEqual(['this here'])
  expect(await lab.left()).toBe(0)
})

it('does not wait for a server that keeps a removal waiting, and does not ask it again meanwhile', async () => {
  await using lab = await openLab()
  await lab.leave(GONE_APP, 'silent')
  await lab.leave(GONE_APP, 'b')
  const first = lab.removeLeft()
  await expect.poll(lab.left).toBe(1)
  await lab.leave(GONE_APP, 'c')
  const second = lab.removeLeft()
  await expect.poll(() => lab.removed).toEqual(['b', 'c'].map((server) => `${server} ${appVolumeName('i', GONE_APP, 'data')}`))
  lab.stopping.abort()
  await Promise.all([first, second])
  expect(await lab.left()).toBe(1)
})

it('takes only names of volumes of the app, and a hundred in a turn', async () => {
  await using lab = await openLab()
  const own = volumeName('i', GONE_APP)
  const many = Array.from({ length: 150 }, (_, n) => `${own}-${n}`)
  lab.all.splice(0, 3, `${own}-../../containers/x`, `${own}-`, `${own}-${'x'.repeat(33)}`, `${own}1`, ...many)
  await lab.leave(GONE_APP, 'b')
  await lab.removeLeft()
  expect(lab.removed).toEqual(many.slice(0, 100).map((name) => `b ${name}`))
  expect(await lab.left()).toBe(1)
  lab.all.splice(0, 104)
  await lab.removeLeft()
  expect(lab.removed).toHaveLength(150)
  expect(await lab.left()).toBe(0)
})
