import { once } from 'node:events'
import { createServer } from 'node:http'
import { chromium, type Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { PASSWORD, startTestServer } from '../packages/server/testing/harness/start-test-server.ts'
import { CHROMIUM } from '../packages/server/testing/harness/trusting-browser.ts'

/** An app on a host below the dashboard's own, which gives every visitor its own session for the dashboard. */
async function startNeighbour(token: string) {
  const paths = ['/', '/api', '/api/auth/']
  const cookies = paths.map((path) => `berth_session=${token}; Domain=berth.localhost; Path=${path}; HttpOnly; Max-Age=86400`)
  const server = createServer((_request, response) => void response.writeHead(200, { 'set-cookie': cookies }).end('hello'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    port: address.port,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function ask(page: Page, path: string, body?: object): Promise<{ status: number; text: string }> {
  return await page.evaluate(
    async ([address, text]) => {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: text ?? '' }
      const response = await fetch(address, text === null ? {} : post)
      return { status: response.status, text: await response.text() }
    },
    [path, body === undefined ? null : JSON.stringify(body)] as const,
  )
}

it('an app on a neighbouring host cannot log a person into another account, nor keep them out of their own', async () => {
  await using berth = await startTestServer()
  const victim = await berth.as('victim')
  const attacker = await berth.as('attacker')
  using neighbour = await startNeighbour(attacker.cookie.slice(attacker.cookie.indexOf('=') + 1))
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-background-networking'] })
  try {
    const page = await browser.newPage({ baseURL: berth.baseUrl.replace('127.0.0.1', 'berth.localhost') })
    await page.goto('/openapi.json')
    expect((await ask(page, '/api/auth/login', { email: victim.email, password: PASSWORD })).status).toBe(200)
    expect((await ask(page, '/api/auth/me')).text).toContain(victim.email)

    await page.goto(`http://app.berth.localhost:${neighbour.port}/`)
    await page.goto('/openapi.json')
    expect((await ask(page, '/api/auth/me')).status).toBe(401)
    const after = await ask(page, '/api/auth/me')
    expect([after.status, after.text]).toEqual([200, expect.stringContaining(victim.email)])

    await page.goto(`http://app.berth.localhost:${neighbour.port}/`)
    await page.goto('/openapi.json')
    expect((await ask(page, '/api/auth/login', { email: victim.email, password: PASSWORD })).status).toBe(200)
    expect((await ask(page, '/api/auth/me')).text).toContain(victim.email)
  } finally {
    await browser.close()
  }
})
