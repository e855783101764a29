import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { newAuthority } from '../../lib/x509.ts'
import { createAgentCalls } from './agent-calls.ts'
import { createAgentIdentity } from './agent-identity.ts'

const NODE = 'n2'
const DAY_MS = 24 * 3600_000
let server: https.Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/**
 * An agent that answers at once about everything but containers called `slow`: about those only when it is told to. The first three projects
 * have one owner.
 */
async function openLab() {
  const times = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) }
  const authority = { name: 'test', ...newAuthority({ name: 'test', ...times }) }
  const identity = createAgentIdentity({ authority: async () => authority, now: () => new Date() })
  const { key, certificate: cert } = JSON.parse(await identity.forAgent(NODE)) as Record<string, string> // as it was just made
  const waiting: (() => void)[] = []
  let isOpen = false
  server = https.createServer({ ...(key && { key }), ...(cert && { cert }) }, (request, response) => {
    const answer = () => void response.end('{"memory":1}')
    if (isOpen || !request.url?.includes('slow')) answer()
    else waiting.push(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has no path
  const { get } = createAgentCalls({ identity, ownerOf: async (project) => (project <= 3 ? 1 : project), now: () => new Date(), port })
  const ask = async (project: number, container: string) =>
    await get({ nodeId: NODE, address: '127.0.0.1', project }, `/containers/${container}/stats`)
  const open = () => {
    isOpen = true
    for (const answer of waiting.splice(0)) answer()
  }
  return { ask, waiting, open }
}

it('slow containers of one owner, in however many projects, leave places for the others', async () => {
  const { ask, waiting, open } = await openLab()
  const slow = Array.from({ length: 20 }, async (_each, number) => await ask(1 + (number % 3), `slow${number}`))
  await expect.poll(() => waiting.length).toBe(3)
  const others = await Promise.all(Array.from({ length: 20 }, async (_each, number) => await ask(number + 4, 'quick')))
  expect(others.filter((answer) => answer === null)).toEqual([])
  expect(waiting).toHaveLength(3)
  open()
  expect((await Promise.all(slow)).filter((answer) => answer === null)).toEqual([])
})
