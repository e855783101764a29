import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { OWNER } from '../../server/testing/harness/start-test-server.ts'
import { ensureBusybox } from '../../server/testing/images/test-images.ts'
import { dockerfile } from '../../server/testing/labs/deploy-lab.ts'
import { type EdgeLab, startEdgeLab } from '../../server/testing/labs/edge-lab.ts'
import { createInstalledCli } from '../testing/run-cli.ts'

let lab: EdgeLab
const { berth } = createInstalledCli()

beforeAll(async () => {
  lab = await startEdgeLab()
  await ensureBusybox(lab.engine)
})
afterAll(async () => await lab?.[Symbol.asyncDispose]())

/** What a visitor of this address gets from the edge, whatever the machine's own DNS says. */
async function visit(address: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const { host } = new URL(address)
    const asked = request({ host: '127.0.0.1', port: lab.httpPort, path: '/', headers: { host }, agent: false }, (answer) => {
      let body = ''
      answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
      answer.on('end', () => resolve(body))
    })
    asked.on('error', reject)
    asked.end()
  })
}

async function done(words: readonly string[], input = ''): Promise<string> {
  const { code, out, err } = await berth(words, { input })
  expect(code, `${words.join(' ')}: ${out}${err}`).toBe(0)
  return out
}

it('goes from an empty server to a running app, and further, with the CLI alone', async () => {
  const page = 'hello from the command line'
  const start = 'echo listening; exec httpd -f -p "$PORT" -h /www'
  const files = { Dockerfile: dockerfile(['COPY index.html /www/index.html'], start), 'index.html': page }
  const repository = await lab.git.createRepository({ files })
  await done(['login', lab.berth.baseUrl, '--email', OWNER.email], OWNER.password)
  await done(['projects', 'create', 'Shop'])
  expect(await done(['apps', 'source', 'check', repository.url, '-p', 'Shop'])).toMatch(/Dockerfile +found/)
  await done(['apps', 'create', 'web', '--project', 'Shop', '--git', repository.url, '--port', '8080'])
  const deployed = await done(['deploy', 'web'])
  const address = (await done(['open', 'web'])).trim()
  expect(deployed.endsWith(`Deployment 1 succeeded.\n${address}\n`), deployed).toBe(true)
  await expect.poll(async () => await visit(address), { timeout: 30_000 }).toBe(page)

  expect(await done(['status', 'web'])).toMatch(/web +running +1 +deployment 1 +http/)
  expect(await done(['logs', 'web', '--since', '1h'])).toMatch(/ listening\n$/)
  expect(await done(['logs', 'web', '--since', '2099-12-31T00:00:00Z'])).toBe('')
  const followed = await berth(['logs', 'web', '--follow'], { interruptWhen: 'listening' })
  expect(followed).toMatchObject({ code: 130, out: expect.stringMatching(/^listening$/m) })
  await done(['usage', 'web'])

  await repository.commit({ files: { 'index.html': 'the second page' } })
  await done(['deploy', 'web'])
  await expect.poll(async () => await visit(address), { timeout: 30_000 }).toBe('the second page')
  expect(await done(['rollback', 'web'])).toContain('Deployment 3 succeeded.')
  await expect.poll(async () => await visit(address), { timeout: 30_000 }).toBe(page)

  await done(['restart', 'web'])
  await done(['stop', 'web'])
  await done(['start', 'web'])
  await done(['apps', 'delete', 'web', '--yes'])
}, 240_000)
