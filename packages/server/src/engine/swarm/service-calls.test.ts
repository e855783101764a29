import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createTransport } from '../api/transport.ts'
import { createServiceCalls } from './service-calls.ts'

let server: http.Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** An HTTP server that behaves like the engine of a manager, with one service, and answers only when it is told to. */
async function openLab() {
  const asked: { path: string; filters: string | null }[] = []
  const waiting: (() => void)[] = []
  let isOpen = false
  server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine')
    if (pathname === '/_ping') return void response.writeHead(200, { 'api-version': '1.41' }).end('OK')
    const path = pathname.replace('/v1.41', '')
    asked.push({ path, filters: searchParams.get('filters') })
    const answer = () => void response.end(path === '/services' ? '[{"ID":"s1"}]' : '[{"ID":"t1","ServiceID":"s1"}]')
    if (isOpen) answer()
    else waiting.push(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has no path
  const calls = createServiceCalls({ transport: createTransport({ address: { host: '127.0.0.1', port } }) })
  const open = () => {
    isOpen = true
    for (const answer of waiting.splice(0)) answer()
  }
  return { calls, asked, open }
}

it('asks only for the tasks of the services that it lists', async () => {
  const { calls, asked, open } = await openLab()
  open()
  expect((await calls.list({ 'berth.app': '4' })).tasks).toMatchObject([{ serviceId: 's1' }])
  expect(asked).toEqual(['/services', '/tasks'].map((path) => ({ path, filters: '{"label":["berth.app=4"]}' })))
})

it('those who want the same list at the same time share one that is read from then on', async () => {
  const { calls, asked, open } = await openLab()
  const all = { 'berth.instance': 'abc' }
  const paths = () => asked.filter(({ filters }) => filters?.includes('berth.instance')).map(({ path }) => path)
  const first = Array.from({ length: 200 }, async () => await calls.list(all))
  await expect.poll(paths).toEqual(['/services'])
  const later = Array.from({ length: 200 }, async () => await calls.list(all))
  const other = calls.list({ 'berth.app': '4' }) // does not wait for the others
  await expect.poll(() => asked.length).toBe(2)
  open()
  await Promise.all([...first, ...later, other])
  expect(paths()).toEqual(['/services', '/tasks', '/services', '/tasks'])
})

it('one who leaves does not take the list from the others', async () => {
  const { calls, asked, open } = await openLab()
  const leaving = new AbortController()
  const left = calls.list({ 'berth.app': '4' }, leaving.signal)
  const stays = calls.list({ 'berth.app': '4' })
  await expect.poll(() => asked.length).toBe(1)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  open()
  expect((await stays).services).toMatchObject([{ id: 's1' }])
})
