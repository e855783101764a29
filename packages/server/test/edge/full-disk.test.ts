import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { EdgeUnavailable } from '../../src/edge/edge.ts'
import { mountSmallDisk } from '../../testing/harness/small-disk.ts'
import { startTestEdge } from '../../testing/harness/test-edge.ts'
import { visit } from '../../testing/labs/edge-visitor.ts'

async function startApp(text: string) {
  const server = createServer((_request, response) => response.end(text)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return { target: { ip: '127.0.0.1', port: address.port }, [Symbol.dispose]: () => void server.close() }
}

it('on a full disk visitors are routed correctly, and the files follow once there is space', async (context) => {
  const disk = await mountSmallDisk(16)
  if (disk.unavailable !== undefined) return context.skip(disk.unavailable)
  await using mounted = disk
  await using edge = await startTestEdge({ dir: join(mounted.directory, 'edge') })
  using old = await startApp('old')
  using fresh = await startApp('new')
  const hosts = [{ host: 'full.test', redirectHttps: false, hsts: false }]
  const route = async ({ target }: typeof old) => await edge.edge.setRoutes({ apps: [{ appKey: 'a1', hosts, targets: [target] }] })
  const onDisk = async () => await readFile(edge.paths.map('apps'), 'utf8')
  await route(fresh)
  await mounted.fill()
  await expect(route(old)).rejects.toThrow(EdgeUnavailable)
  expect((await visit(edge, { host: 'full.test' })).text).toBe('old')
  expect(await onDisk()).not.toContain(`${old.target.port}`)
  await mounted.free()
  await route(old)
  expect(edge.edge.state().state).toBe('ready')
  expect(await onDisk()).toContain(`${old.target.port}`)
})
