import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { operations } from '@berth/contract'
import { Check } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWNER, startTestServer, type TestServer } from '../../server/testing/harness/start-test-server.ts'
import { createCli, createInstalledCli } from '../testing/run-cli.ts'
import { startEdge } from '../testing/start-edge.ts'
import { topics } from './commands.ts'

const commands = Object.values(topics).flat()
let server: TestServer
const cli = createCli()
const { berth } = cli

/** What --json prints is what the contract says. */
async function answerOf(name: keyof typeof operations, words: readonly string[]): Promise<unknown> {
  const { code, out, err } = await berth([...words, '--json'])
  expect(code, err).toBe(0)
  const answer: unknown = JSON.parse(out)
  expect(Check(operations[name].answer, answer), out).toBe(true)
  return answer
}

beforeAll(async () => {
  server = await startTestServer({ tuning: { engineWaitMs: 2000, resolveAtAddMs: 200 } })
  await berth(['login', server.baseUrl, '--email', OWNER.email], { input: `${OWNER.password}\n` })
  await berth(['projects', 'create', 'Shop'])
  await berth(['apps', 'create', 'web', '--project', 'Shop', '--git', 'https://127.0.0.1:9/none.git', '--port', '3000'])
})

afterAll(async () => await server?.[Symbol.asyncDispose]())

describe('help', () => {
  it('lists every command', async () => {
    const { code, out } = await berth(['help'])
    expect(code).toBe(0)
    for (const { usage, summary } of commands) {
      expect(out).toContain(usage)
      expect(out).toContain(summary)
    }
  })

  it('shows how a command is used', async () => {
    const { code, out } = await berth(['deploy', '--help'])
    expect(code).toBe(0)
    expect(out).toContain('Usage: berth deploy <app>')
    expect(out).toContain('--detach')
  })

  it('lists the commands that begin with a word, and the ones beside a command', async () => {
    expect((await berth(['env', '--help'])).out).toContain('berth env pull <app> [file]')
    expect((await berth(['help', 'apps'])).out).toContain('apps transfer <app> <email>')
  })

  it('ends with exit code 2 without a command, with an unknown one, an unknown option or a missing argument', async () => {
    expect((await berth([])).code).toBe(2)
    expect(await berth(['fly'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('There is no command "fly". (usage)') })
    expect(await berth(['env'])).toMatchObject({ code: 2, err: expect.stringContaining('Use one of: env list, env set') })
    expect((await berth(['apps', '--fly'])).code).toBe(2)
    expect(await berth(['deploy'])).toMatchObject({ code: 2, err: expect.stringContaining('<app> is missing.') })
  })

  it('refuses an extra argument with exit code 2', async () => {
    const err = 'berth: Unexpected argument: extra (usage)\nTry: berth help\n'
    expect(await berth(['apps', 'extra'])).toEqual({ code: 2, out: '', err })
    expect(await berth(['deploy', 'web', 'extra', '--detach'])).toEqual({ code: 2, out: '', err })
  })

  it('and the documentation name every command', () => {
    const text = readFileSync(resolve(import.meta.dirname, '../../../docs/cli.md'), 'utf8')
    for (const { usage } of commands) expect(text.replaceAll('\\|', '|')).toContain(`berth ${usage}`)
  })
})

describe('login, whoami and logout', () => {
  it('login keeps the token in a file of mode 0600, and whoami uses it', async () => {
    expect(statSync(cli.settingsPath).mode & 0o777).toBe(0o600)
    const { code, out } = await berth(['whoami'])
    expect(code).toBe(0)
    expect(out).toBe(`${OWNER.email} (owner) at ${server.baseUrl}\n`)
    await answerOf('auth.me', ['whoami'])
  })

  it('login with a wrong password ends with 3 and says what to try', async () => {
    const other = createCli()
    const { code, err } = await other.berth(['login', server.baseUrl, '--email', OWNER.email], { input: 'wrong-password' })
    expect(code).toBe(3)
    expect(err).toContain('(wrong_credentials)')
    expect(err).toContain('Try: berth login')
  })

  it('login also finds the token over TLS, where the cookie has another name', async () => {
    await using edge = await startEdge(server.baseUrl)
    const other = createCli()
    expect(await other.berth(['login', edge.url, '--email', OWNER.email], { input: OWNER.password })).toMatchObject({ code: 0 })
    expect(await other.berth(['whoami'])).toMatchObject({ code: 0, out: `${OWNER.email} (owner) at ${edge.url}\n` })
  })

  it('login without a terminal and without --email is wrong usage', async () => {
    expect((await createCli().berth(['login', server.baseUrl])).code).toBe(2)
  })

  it('nobody who is not signed in gets further, and the exit code is 3', async () => {
    const other = createCli()
    expect((await other.berth(['apps'])).code).toBe(3)
    const { code, err } = await other.berth(['apps', '--json'], { env: { BERTH_URL: server.baseUrl, BERTH_TOKEN: 'no-token' } })
    expect(code).toBe(3)
    expect(JSON.parse(err)).toMatchObject({ code: 'not_signed_in', next: 'Try: berth login' })
  })

  it('logout ends the session on the server and forgets it here', async () => {
    const other = createCli()
    await other.berth(['login', server.baseUrl, '--email', OWNER.email], { input: OWNER.password })
    const saved = JSON.parse(readFileSync(other.settingsPath, 'utf8')) as { token: string } // written by login
    expect((await other.berth(['logout'])).code).toBe(0)
    const env = { BERTH_URL: server.baseUrl, BERTH_TOKEN: saved.token }
    expect((await other.berth(['whoami'], { env })).code).toBe(3)
    expect((await other.berth(['whoami'])).code).toBe(3)
  })

  it('a server that does not answer is named as such', async () => {
    const { code, err } = await berth(['whoami'], { env: { BERTH_URL: 'http://127.0.0.1:9' } })
    expect(code).toBe(1)
    expect(err).toContain('(unreachable)')
  })
})

describe('projects and apps', () => {
  it('projects lists them', async () => {
    expect((await berth(['projects'])).out).toContain('Shop')
    expect(await answerOf('projects.list', ['projects'])).toMatchObject([{ name: 'Shop' }])
  })

  it('apps lists them, of one project or of all', async () => {
    expect((await berth(['apps'])).out).toMatch(/web +not deployed +web/)
    expect(await answerOf('apps.list', ['apps', '--project', 'Shop'])).toMatchObject([{ name: 'web', port: 3000 }])
    expect(await berth(['apps', '--project', 'Nothing'])).toMatchObject({ code: 1, err: expect.stringContaining('project_not_found') })
  })

  it('status shows the state of an app', async () => {
    expect((await berth(['status', 'Shop/web'])).out).toMatch(/web +not deployed +1 +none/)
    await answerOf('apps.get', ['status', 'web'])
  })

  it('apps move refuses an app without data', async () => {
    expect((await berth(['apps', 'move', 'web', 'this'])).code, 'without a terminal it must be confirmed').toBe(2)
    expect((await berth(['apps', 'move', 'web', 'this', '--yes'])).err).toContain('must be an app that was deployed with volumes')
    expect((await berth(['apps', 'stop-move', 'web'])).err).toContain('there is no move to stop')
  })
})

describe('env and domains', () => {
  it('env sets, changes, lists and unsets', async () => {
    expect((await berth(['env', 'set', 'web', 'A=1', 'B=two words=2'])).code).toBe(0)
    expect((await berth(['env', 'set', 'web', 'A=3'])).code).toBe(0)
    expect((await berth(['env', 'list', 'web'])).out).toBe('A=3\nB=two words=2\n')
    expect(await answerOf('envs.list', ['env', 'list', 'web'])).toHaveLength(2)
    expect((await berth(['env', 'unset', 'web', 'B'])).code, 'without a terminal it must be confirmed').toBe(2)
    expect((await berth(['env', 'unset', 'web', 'B', '--yes'])).code).toBe(0)
    expect((await berth(['env', 'unset', 'web', 'B', '--yes'])).err).toContain('env_variable_not_found')
    expect((await berth(['env', 'list', 'web'])).out).toBe('A=3\n')
    expect((await berth(['env', 'set', 'web', 'nonsense'])).code).toBe(2)
  })

  it('variables of a project are set, changed, listed and unset', async () => {
    expect((await berth(['variables', 'set', 'Shop', 'REGION=eu', 'KEPT=1'])).code).toBe(0)
    expect((await berth(['variables', 'set', 'Shop', 'REGION=us'])).out).toContain('REGION set.')
    expect((await berth(['variables', 'list', 'Shop'])).out).toBe('REGION=us\nKEPT=1\n')
    await answerOf('projectEnvs.list', ['variables', 'list', 'Shop'])
    expect((await berth(['variables', 'unset', 'Shop', 'REGION', '--yes'])).code).toBe(0)
    expect((await berth(['variables', 'unset', 'Shop', 'REGION', '--yes'])).err).toContain('env_variable_not_found')
    expect((await berth(['variables', 'list', 'Shop'])).out).toBe('KEPT=1\n')
  })

  it('domains adds, lists and removes', async () => {
    await answerOf('domains.create', ['domains', 'add', 'web', 'shop.example.com'])
    expect((await berth(['domains', 'list', 'web'])).out).toContain('shop.example.com')
    await answerOf('domains.list', ['domains', 'list', 'web'])
    expect((await berth(['domains', 'remove', 'web', 'shop.example.com'])).code).toBe(2)
    expect((await berth(['domains', 'remove', 'web', 'shop.example.com', '--yes'])).code).toBe(0)
    expect((await berth(['domains', 'list', 'web'])).out).not.toContain('shop.example.com')
  })
})

describe('deploying', () => {
  it('deploy follows the deployment to its end and fails with it; deployments and logs show it', async () => {
    const followed = await berth(['deploy', 'web'])
    expect(followed.code, followed.err).toBe(1)
    expect(followed.out).toMatch(/Deployment \d+ failed: ./)
    const [newest] = (await answerOf('deployments.list', ['deployments', 'web'])) as { id: number; status: string }[] // just checked
    expect(newest?.status).toBe('failed')
    const log = await berth(['logs', '--deployment', String(newest?.id)])
    expect(log.code, log.err).toBe(0)
    expect(await berth(['logs', 'web']), 'an app that never ran has printed nothing').toMatchObject({ code: 0, out: '' })
    expect(await berth(['logs', 'web', '--all'])).toMatchObject({ code: 0, out: '' })
    expect(await berth(['logs', 'web', '--search', 'error', '-C', '2'])).toMatchObject({ code: 1, err: '0 of 0 lines match.\n' })
    expect(await berth(['logs', 'web', '--search', 'error', '--follow'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--follow and --search cannot be used together.'),
    })
  })

  it('deploy --detach does not wait', async () => {
    const { out } = await berth(['deploy', 'web', '--detach'])
    expect(out).toMatch(/^Deployment 2 of web is queued. Follow it with: berth logs --deployment \d+\n$/)
    expect(await answerOf('deployments.create', ['deploy', 'web', '--detach'])).toMatchObject({ deployment_number: 3 })
  })

  it('deploy --commit deploys that commit, by its hash or by the beginning of one that was deployed before', async () => {
    const hash = 'a1b2c3d4e5'.repeat(4)
    expect(await answerOf('deployments.create', ['deploy', 'web', '--detach', '--commit', hash])).toMatchObject({ commit_hash: hash })
    const short = await answerOf('deployments.create', ['deploy', 'web', '--detach', '--commit', hash.slice(0, 7)])
    expect(short).toMatchObject({ commit_hash: hash })
    for (const commit of ['0123456', 'a1b2c3', 'main', '--upload-pack=x', `${hash}0`])
      expect(await berth(['deploy', 'web', '--detach', `--commit=${commit}`])).toMatchObject({
        code: 1,
        err: expect.stringContaining('commit'),
      })
  })

  it('deploy ends with 130 when it is interrupted, and says that the deployment continues', async () => {
    const env = { XDG_CONFIG_HOME: join(cli.home, '.config') }
    const { code, err } = await createInstalledCli().berth(['deploy', 'web'], { env, interruptWhen: '-- ' })
    expect(code, err).toBe(130)
    expect(err).toContain('The deployment is still running.')
  })

  it('rollback needs an earlier release', async () => {
    expect(await berth(['rollback', 'web'])).toMatchObject({ code: 1, err: expect.stringContaining('(no_release)') })
    expect((await berth(['rollback', 'web', '--to', 'x'])).code).toBe(2)
  })
})

describe('without an engine', () => {
  it('health says so and fails', async () => {
    const { code, out } = await berth(['health'])
    expect(code).toBe(1)
    expect(out).toMatch(/engine +unreachable/)
  })

  it.each(['start', 'stop', 'restart'])('%s fails with a code and something to try', async (verb) => {
    const { code, err } = await berth([verb, 'web'])
    expect(code).toBe(1)
    expect(err).toMatch(/^berth: .+ \([a-z_]+\)\nTry: /)
  })
})
