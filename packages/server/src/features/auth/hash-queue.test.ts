import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fastify } from 'fastify'
import { expect, it } from 'vitest'
import { serveDashboard } from '../../http/dashboard-files.ts'
import { createHashQueue } from './hash-queue.ts'
import { createPasswords } from './passwords.ts'

/** Work that ends when the test says so. */
function createWork() {
  const ends: (() => void)[] = []
  const order: string[] = []
  const work = (name: string) => async () => {
    order.push(name)
    await new Promise<void>((resolve) => ends.push(resolve))
    return name
  }
  const settled = async () => await new Promise((resolve) => setImmediate(resolve))
  return { work, order, settled, endOne: () => ends.shift()?.(), running: () => ends.length }
}

it.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [64, 2],
])('on %i cores at most %i run at once, in order of arrival, and all finish', async (cores, atOnce) => {
  const { work, order, settled, endOne, running } = createWork()
  const queue = createHashQueue({ cores })
  const names = Array.from({ length: 20 }, (_, index) => `try ${index}`)
  const all = Promise.all(names.map(async (name) => await queue.run(work(name), { isFirst: false })))
  for (let n = 0; n < names.length; n += 1) {
    await settled()
    expect(running()).toBe(Math.min(atOnce, names.length - n))
    endOne()
  }
  expect(await all).toEqual(names)
  expect(order).toEqual(names)
})

it('runs work first that must not wait behind anonymous logins', async () => {
  const { work, order, settled, endOne } = createWork()
  const queue = createHashQueue({ cores: 2 })
  const all = ['a', 'b', 'c'].map(async (name) => await queue.run(work(name), { isFirst: false }))
  all.push(queue.run(work('owner'), { isFirst: true }))
  for (let n = 0; n < 4; n += 1) {
    await settled()
    endOne()
  }
  await Promise.all(all)
  expect(order).toEqual(['a', 'owner', 'b', 'c'])
})

it('continues after a failure, and only refuses anonymous work that would wait behind 500 others', async () => {
  const { work, settled, endOne, running } = createWork()
  const queue = createHashQueue({ cores: 2 })
  await expect(queue.run(async () => await Promise.reject(new Error('no memory')), { isFirst: false })).rejects.toThrow('no memory')
  const all = Array.from({ length: 501 }, async () => await queue.run(work('x'), { isFirst: false }))
  await expect(queue.run(work('one too many'), { isFirst: false })).rejects.toMatchObject({ code: 'too_many_logins' })
  all.push(queue.run(work('owner'), { isFirst: true }))
  while (running() > 0) {
    endOne()
    await settled()
  }
  await Promise.all(all)
})

it('leaves a thread for files: the dashboard is read while logins wait', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-hashing-'))
  await writeFile(path.join(directory, 'index.html'), '<!doctype html>the dashboard')
  const app = fastify()
  const send = serveDashboard(directory)
  app.setNotFoundHandler((request, reply) => send(request, reply) ?? reply.code(404).send('none'))
  const { isPassword } = createPasswords({ queue: createHashQueue({ cores: 2 }) })
  let ended = 0
  const logins = Array.from({ length: 60 }, async () => {
    await isPassword('wrong', undefined, { isFirst: false })
    ended += 1
  })
  try {
    for (let n = 0; n < 5; n += 1) {
      const { body } = await app.inject({ url: '/' })
      expect(body).toContain('the dashboard')
    }
    expect(ended).toBeLessThan(30)
  } finally {
    await Promise.all(logins)
    await app.close()
    await rm(directory, { recursive: true, force: true })
  }
})
