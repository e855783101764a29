import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openConnection } from '../../testing/harness/raw-connection.ts'
import { startTestServer } from '../../testing/harness/start-test-server.ts'

const LOG_BYTES = 64 * 1024 * 1024
const LINE = `${'x'.repeat(999)}\n`

it('a download that lasts ends with the access of the person who began it', async () => {
  await using berth = await startTestServer()
  const owner = await berth.owner()
  const member = await berth.as('member')
  const { id: projectId } = await owner.call('projects.create', { name: 'Shop' })
  await owner.call('projects.members', { id: projectId, userIds: [member.id] })
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'web' })
  const { id } = await owner.call('deployments.add', { appId })
  while ((await owner.call('deployments.get', { id })).status !== 'failed') await sleep(50)
  await writeFile(path.join(berth.dataDir, 'logs', `d${id}.log`), Buffer.alloc(LOG_BYTES, LINE))

  const { socket, isClosed } = await openConnection(berth.baseUrl)
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    socket.pause() // a client that reads slowly
    setTimeout(() => socket.resume(), 50)
  })
  socket.write(`GET /api/deployment/logs/${id} HTTP/1.1\r\nHost: berth.test\r\nCookie: ${member.cookie}\r\n\r\n`)
  await expect.poll(() => bytes).toBeGreaterThan(0)
  await sleep(6000)
  expect(isClosed()).toBe(false)
  await owner.call('projects.members', { id: projectId, userIds: [] })
  await expect.poll(isClosed, { timeout: 30_000 }).toBe(true)
  expect(bytes).toBeLessThan(LOG_BYTES)
})
