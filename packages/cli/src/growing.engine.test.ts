import http from 'node:http'
import { expect, it } from 'vitest'
import { OWNER } from '../../server/testing/harness/start-test-server.ts'
import { dockerfile, until } from '../../server/testing/labs/deploy-lab.ts'
import { openGrowingLab } from '../../server/testing/labs/growing-lab.ts'
import { keepVisiting } from '../../server/testing/labs/placed-lab.ts'
import { bundledCli } from '../testing/bundled-cli.ts'

const HOST = 'web.example.test'

/** What the visitors get: a page, or what the app gets from its database. */
const WEB = dockerfile(
  [
    'COPY index.html /www/index.html',
    String.raw`RUN mkdir -p /www/cgi-bin && printf '#!/bin/sh\necho "content-type: text/plain"\necho\nprintf "PING\\r\\nQUIT\\r\\n" | nc -w 3 "$STORE" 6379\n' > /www/cgi-bin/store && chmod 755 /www/cgi-bin/store`,
  ],
  'exec httpd -f -p "$PORT" -h /www',
)
/** Redis wants a password, and so it is there. */
const THERE = '200 -NOAUTH Authentication required.'

async function visited(at: string, target: string): Promise<string> {
  return await new Promise((resolve) => {
    const request = http.get({ host: at, port: 80, path: target, headers: { host: HOST }, agent: false, timeout: 10_000 }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => resolve(`${response.statusCode} ${body.trim().split('\r\n')[0]}`))
      response.on('error', (error) => resolve(String(error)))
    })
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', (error) => resolve(String(error)))
  })
}

it('the page leads from one machine to PostgreSQL and three servers, and no app goes down', {
  tags: 'long',
  timeout: 600_000,
}, async () => {
  await using lab = await openGrowingLab(bundledCli())
  const { here, others, type } = lab
  const [backUp, move, addFirst, addNext, managers, spread, edges, ...more] = await lab.ownBlocks()
  expect(more).toEqual([])

  await lab.typeAndLeaveRunning('npm start')
  await type(`echo ${OWNER.password} | berth login ${lab.address} --email ${OWNER.email}`)
  const { url } = await lab.git.createRepository({ files: { Dockerfile: WEB, 'index.html': 'hello' } })
  await type('berth projects create Shop')
  await type('berth apps create store --project Shop --template redis')
  await type('berth deploy store')
  const store = new URL((await type('berth connection store')).trim()).hostname
  await type(`berth apps create web --project Shop --git ${url} --port 8080`)
  await type(`berth env set web STORE=${store}`)
  await type(`berth domains add web ${HOST}`)
  await type('berth deploy web')
  const fromStore = async (at: string) => await visited(at, '/cgi-bin/store')
  expect(await visited(here.address, '/')).toBe('200 hello')
  expect(await fromStore(here.address)).toBe(THERE)
  const databases = async () => await here.run('docker', 'ps', '--filter', 'name=-app-1-', '--format', '{{.ID}} {{.CreatedAt}}')
  const before = await databases()
  expect(before).not.toBe('')

  const stops = [keepVisiting(async () => await visited(here.address, '/')), keepVisiting(async () => await fromStore(here.address))]
  await type(backUp ?? '')
  await lab.interrupt()
  await lab.typeAndLeaveRunning(move ?? '')
  await lab.joinWith(others[0], await type(addFirst ?? ''))
  await lab.joinWith(others[1], await type(addNext ?? ''))
  await type(managers ?? '')
  await type(spread ?? '')
  await type(edges ?? '')
  for (const { name } of others) await lab.shows(new RegExp(`^\\S+ +${name} .* manager .* on `, 'm'))
  for (const { address } of [here, ...others]) {
    expect(await visited(address, '/')).toBe('200 hello')
    expect(await fromStore(address)).toBe(THERE)
  }
  const seen = await Promise.all(stops.map(async (stop) => await stop()))
  expect(seen.map(({ bad }) => bad)).toEqual([[], []])
  expect(await databases()).toBe(before)

  // what it was for
  await others[1]?.kill()
  const next = others[0]?.address ?? ''
  expect(
    await until(
      async () => await visited(next, '/'),
      (answer) => answer === '200 hello',
      10_000,
    ),
  ).toBe('200 hello')
})
