import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '@berth/contract'
import { Check } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGitServer } from '../../server/testing/harness/git-server.ts'
import { ownCertificate } from '../../server/testing/harness/own-certificate.ts'
import { OWNER, startTestServer, type TestServer } from '../../server/testing/harness/start-test-server.ts'
import { createCli } from '../testing/run-cli.ts'

let server: TestServer
const { berth, home } = createCli()

/** What --json prints is what the contract says. */
async function answerOf(name: keyof typeof operations, words: readonly string[], input = ''): Promise<unknown> {
  const { code, out, err } = await berth([...words, '--json'], { input })
  expect(code, err).toBe(0)
  const answer: unknown = JSON.parse(out)
  expect(Check(operations[name].answer, answer), out).toBe(true)
  return answer
}

beforeAll(async () => {
  server = await startTestServer({ tuning: { engineWaitMs: 600_000, resolveAtAddMs: 200 } }) // a deployment waits for an engine until it is cancelled
  await berth(['login', server.baseUrl, '--email', OWNER.email], { input: OWNER.password })
  await berth(['projects', 'create', 'Shop', '--tags', 'a,b'])
  await berth(['apps', 'create', 'web', '--project', 'Shop'])
})

afterAll(async () => await server?.[Symbol.asyncDispose]())

describe('projects and members', () => {
  it('a project is created, changed and deleted', async () => {
    expect((await berth(['projects', 'create', 'Old'])).out).toMatch(/^Project Old created \(id \d+\)\. Next: berth apps create/)
    expect(await answerOf('projects.update', ['projects', 'update', 'Old', '--name', 'New'])).toMatchObject({ name: 'New' })
    expect(await berth(['projects', 'update', 'New'])).toMatchObject({ code: 2, err: expect.stringContaining('Nothing to change.') })
    expect((await berth(['projects', 'delete', 'New'])).code, 'without a terminal it must be confirmed').toBe(2)
    await answerOf('projects.delete', ['projects', 'delete', 'New', '--yes'])
    expect((await berth(['projects'])).out).not.toContain('New')
  })

  it('members are added, listed and removed', async () => {
    await answerOf('users.create', ['users', 'create', 'ada@example.com'], 'a-good-password')
    await answerOf('projects.members', ['members', 'add', 'Shop', 'ada@example.com'])
    expect((await berth(['members', 'Shop'])).out).toMatch(/owner@\S+ +owner +yes[^]*ada@example\.com +user/)
    await answerOf('projects.get', ['members', 'Shop'])
    expect((await berth(['members', 'remove', 'Shop', 'nobody@example.com', '--yes'])).err).toContain('(member_not_found)')
    await answerOf('projects.members', ['members', 'remove', 'Shop', 'ada@example.com', '--yes'])
    expect((await berth(['members', 'Shop'])).out).not.toContain('ada@example.com')
  })
})

describe('apps', () => {
  it('an app is created with every option, changed, handed over and deleted', async () => {
    const env = join(home, 'new.env')
    writeFileSync(env, 'FROM_FILE="two words"\nBOTH=file\n')
    const source = ['--git', 'https://127.0.0.1:9/none.git', '--branch', 'main', '--root', 'sub', '--dockerfile', 'Dockerfile.web']
    const more = ['--type', 'service', '--port', 'none', '--description', 'A worker', '--env', 'BOTH=flag', '--env-file', env]
    expect(await answerOf('apps.create', ['apps', 'create', 'worker', '-p', 'Shop', ...source, ...more])).toMatchObject({
      app_type: 'service',
      port: 0,
      git_branch: 'main',
      root_directory: 'sub',
      dockerfile_path: 'Dockerfile.web',
      description: 'A worker',
    })
    expect((await berth(['env', 'list', 'worker'])).out).toBe('FROM_FILE=two words\nBOTH=flag\n')
    const change = [
      '--name',
      'jobs',
      '--memory',
      '256',
      '--cpus',
      '0.5',
      '--restart',
      'always',
      '--strategy',
      'recreate',
      '--dockerfile',
      'none',
    ]
    expect(await answerOf('apps.update', ['apps', 'update', 'worker', ...change])).toMatchObject({
      name: 'jobs',
      memory_limit: 256,
      cpu_limit: 0.5,
      restart_policy: 'always',
      deployment_strategy: 'recreate',
      dockerfile_path: null,
    })
    expect((await berth(['apps', 'update', 'jobs', '--memory', 'much'])).code).toBe(2)
    expect(await answerOf('apps.update', ['scale', 'jobs', '3'])).toMatchObject({ replicas: 3 })
    for (const wrong of ['many', '1 --cpus 1']) expect((await berth(['scale', 'jobs', ...wrong.split(' ')])).code).toBe(2)
    const worker = await answerOf('apps.update', ['scale', 'jobs', 'worker=2', '--command', 'work', '--memory', '64', '--cpus', 'none'])
    expect(worker).toMatchObject({ replicas: 3, processes: [{ name: 'worker', command: 'work', replicas: 2, memoryLimit: 64 }] })
    await answerOf('users.create', ['users', 'create', 'dora@example.com', '--role', 'admin'], 'a-good-password')
    await answerOf('apps.transfer', ['apps', 'transfer', 'jobs', 'dora@example.com'])
    expect((await berth(['apps', 'update', 'jobs', '--name', 'mine'])).code, 'only its owner may change it').toBe(1)
    await answerOf('apps.transfer', ['apps', 'transfer', 'jobs', OWNER.email])
    expect((await berth(['apps', 'transfer', 'jobs', 'nobody@example.com'])).err).toContain('(user_not_found)')
    expect((await berth(['apps', 'delete', 'jobs'])).code).toBe(2)
    await answerOf('apps.delete', ['apps', 'delete', 'jobs', '--yes', '--volumes'])
  })

  it('an app is given volumes and files, and they are taken away', async () => {
    await berth(['apps', 'create', 'keeper', '-p', 'Shop'])
    const added = { volumes: [{ name: 'uploads', path: '/data', shareable: true }] }
    expect(await answerOf('apps.update', ['volumes', 'add', 'keeper', 'uploads', '/data', '--shareable'])).toMatchObject(added)
    expect(await berth(['volumes', 'add', 'keeper', 'system', '/proc'])).toMatchObject({ code: 1, err: expect.stringContaining('/proc') })
    expect((await berth(['volumes', 'delete', 'keeper', 'uploads', '--yes'])).err).toContain('(volume_in_use)')
    expect(await answerOf('apps.update', ['volumes', 'remove', 'keeper', 'uploads'])).toMatchObject({ volumes: [] })
    expect((await berth(['volumes', 'remove', 'keeper', 'uploads'])).err).toContain('(volume_not_found)')
    const local = join(home, 'shop.conf')
    writeFileSync(local, 'greeting = hello\n')
    expect(await answerOf('files.save', ['files', 'set', 'keeper', '/etc/shop.conf', local])).toMatchObject({ mode: '0444', bytes: 17 })
    await answerOf('files.save', ['files', 'set', 'keeper', '/etc/shop.conf', local, '--mode', '0400'])
    expect((await berth(['files', 'list', 'keeper'])).out).toMatch(/\/etc\/shop\.conf +0400 +17/)
    await answerOf('files.list', ['files', 'list', 'keeper'])
    expect((await berth(['files', 'show', 'keeper', '/etc/shop.conf'])).out).toBe('greeting = hello\n')
    await answerOf('files.read', ['files', 'show', 'keeper', '/etc/shop.conf'])
    expect((await berth(['files', 'remove', 'keeper', '/etc/shop.conf'])).code, 'without a terminal it must be confirmed').toBe(2)
    await answerOf('files.delete', ['files', 'remove', 'keeper', '/etc/shop.conf', '--yes'])
    expect((await berth(['files', 'show', 'keeper', '/etc/shop.conf'])).err).toContain('(file_not_found)')
  })

  it('says what comes next', async () => {
    expect((await berth(['apps', 'create', 'Next App', '-p', 'Shop'])).out).toMatch(
      /^App Next App created \(id \d+\)\. Next: berth deploy next-app\n$/,
    )
  })

  it('apps source check fails for a repository that does not answer', async () => {
    const { code, out } = await berth(['apps', 'source', 'check', 'https://127.0.0.1:9/none.git', '-p', 'Shop'])
    expect(code).toBe(1)
    expect(out).not.toBe('')
  })

  it('open prints the address', async () => {
    const { url } = (await answerOf('apps.get', ['status', 'web'])) as { url: string } // just checked
    expect(await berth(['open', 'web'])).toMatchObject({ code: 0, out: `${url}\n` })
    expect(url).toMatch(/^http/)
  })

  it('traffic and usage ask the server', async () => {
    expect(await answerOf('apps.traffic', ['traffic', 'web'])).toMatchObject({ requests: 0 })
    await answerOf('containers.usage', ['usage', 'web'])
    expect(await answerOf('figures.get', ['figures', 'web', '--range', '6h'])).toMatchObject({ everySeconds: 60 })
    expect((await berth(['figures', 'web'])).err).toBe('No data yet.\n')
    expect((await berth(['figures', 'web', '--range', '2h'])).code).toBe(2)
  })

  it('a database is created from a template and shows its connection URL', async () => {
    await answerOf('templates.list', ['templates'])
    expect(await answerOf('apps.create', ['apps', 'create', 'db', '-p', 'Shop', '--template', 'postgresql'])).toMatchObject({
      app_type: 'database',
      template_name: 'postgresql',
    })
    expect((await berth(['connection', 'db'])).out).toMatch(/^postgres(ql)?:\/\/\S+\n$/)
    await answerOf('apps.connection', ['connection', 'db'])
    expect(await berth(['open', 'db'])).toMatchObject({ code: 1, err: expect.stringContaining('(no_address)') })
  })
})

describe('deployments cancel', () => {
  it('ends a deployment that is queued or running', async () => {
    await berth(['apps', 'create', 'slow', '-p', 'Shop', '--git', 'https://127.0.0.1:9/none.git'])
    const queued = (await answerOf('deployments.create', ['deploy', 'slow', '--detach'])) as { id: number } // just checked
    const running = (await answerOf('deployments.running', ['deployments', 'running'])) as { id: number }[] // just checked
    expect(running.map(({ id }) => id)).toContain(queued.id)
    expect((await berth(['deployments', 'slow', '--limit', '1', '--status', 'success'])).out).not.toContain(String(queued.id))
    expect((await berth(['deploy', 'slow', '--commit', 'abc'])).err).toContain('commit')
    const pair = ['deployments', 'compare', String(queued.id), String(queued.id)]
    expect(await answerOf('deployments.compare', pair)).toMatchObject({ settings: [], environment: [] })
    const cancel = ['deployments', 'cancel', String(queued.id)]
    expect(await answerOf('deployments.stop', cancel)).toMatchObject({ status: 'stopped' })
    expect(await berth(cancel)).toMatchObject({ code: 1, err: expect.stringContaining('(deployment_ended)') })
    expect((await berth(['deployments', 'cancel', 'x'])).code).toBe(2)
    expect((await berth(['deployments', 'fix', String(queued.id)])).out).toBe('SUGGESTION  WHAT IT DOES\n') // a cancelled one needs no fix
    expect(await berth(['deployments', 'fix', String(queued.id), 'retry'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(not_found)'),
    })
  })
})

describe('env pull and push', () => {
  it('write a file that only its owner can read, and take it back', async () => {
    await berth(['env', 'set', 'web', 'A=1', 'B=two "words" $x\nand a line'])
    expect(await berth(['env', 'pull', 'web'])).toMatchObject({ code: 0, out: '2 variables written to .env.\n' })
    const file = join(home, '.env')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await berth(['env', 'pull', 'web'])).toMatchObject({ code: 1, err: expect.stringContaining('(file_exists)') })
    expect((await berth(['env', 'pull', 'web', '.env', '--force'])).code).toBe(0)
    expect((await berth(['env', 'pull', 'web', '-'])).out).toBe(readFileSync(file, 'utf8'))

    expect(await berth(['env', 'push', 'web', '.env'])).toMatchObject({ code: 0, out: 'Nothing changed.\n' })
    writeFileSync(file, 'A=2\nC=3\n')
    expect((await berth(['env', 'push', 'web', '.env'])).code, 'B would be removed, and there is no terminal to ask on').toBe(2)
    expect(await berth(['env', 'push', 'web', '.env', '--yes'])).toMatchObject({
      code: 0,
      err: 'changed: A\nremoved: B\nadded: C\n',
    })
    expect((await berth(['env', 'list', 'web'])).out).toBe('A=2\nC=3\n')
    await answerOf('envs.replace', ['env', 'push', 'web', '.env'])
    await answerOf('envs.changes', ['env', 'changes', 'web'])
  })

  it('a file with a wrong line, or none, changes nothing', async () => {
    writeFileSync(join(home, 'bad.env'), 'A=1\nno equals\n')
    expect((await berth(['env', 'push', 'web', 'bad.env', '--yes'])).err).toContain('bad.env, line 2: This line has no "=". (file_invalid)')
    expect((await berth(['env', 'push', 'web', 'none.env', '--yes'])).err).toContain('(file_not_readable)')
  })
})

describe('domains and certificates', () => {
  it('a domain is changed and checked; its own certificate is uploaded and removed', async () => {
    const host = 'shop.example.com'
    await answerOf('domains.create', ['domains', 'add', 'web', host])
    expect(await answerOf('domains.update', ['domains', 'update', 'web', host, '--redirect-https', 'off'])).toMatchObject({
      redirectHttps: false,
    })
    expect((await berth(['domains', 'update', 'web', host, '--hsts', 'perhaps'])).code).toBe(2)
    await answerOf('domains.check', ['domains', 'check', 'web', host])
    const { chain, key } = ownCertificate(host)
    writeFileSync(join(home, 'chain.pem'), chain)
    writeFileSync(join(home, 'key.pem'), key)
    const upload = ['certificates', 'upload', 'web', host, '--certificate', 'chain.pem', '--key', 'key.pem']
    expect(await answerOf('domains.setCertificate', upload)).toMatchObject({ ownCertificate: true })
    expect((await berth(upload.slice(0, 6))).err).toContain('--key is missing.')
    expect((await berth(['domains', 'list', 'web'])).out).toContain('(your own)')
    const remove = ['certificates', 'remove', 'web', host, '--yes']
    expect(await answerOf('domains.removeCertificate', remove)).toMatchObject({ ownCertificate: false })
    expect((await berth(['domains', 'check', 'web', 'other.example.com'])).err).toContain('(domain_not_found)')
  })
})

describe('the server', () => {
  it('gets its first account with the link that it printed', async () => {
    await using fresh = await startTestServer({ owner: 'none' })
    const first = createCli()
    const link = `${fresh.baseUrl}/setup#token=${fresh.setupToken()}`
    expect((await first.berth(['setup', fresh.baseUrl, '--email', 'first@example.com'])).code, 'without its token').toBe(2)
    const made = await first.berth(['setup', link, '--email', 'first@example.com'], { input: 'a-good-password' })
    expect(made).toMatchObject({ code: 0, out: `Logged in to ${fresh.baseUrl} as first@example.com.\n` })
    expect((await first.berth(['whoami'])).out).toBe(`first@example.com (owner) at ${fresh.baseUrl}\n`)
  })

  it('settings are shown and changed', async () => {
    await answerOf('settings.get', ['settings'])
    expect(await answerOf('settings.update', ['settings', 'set', 'retention', '7'])).toMatchObject({ retention: 7 })
    expect((await berth(['settings', 'set', 'wildcardDomain', 'apps.example.com'])).out).toBe('wildcardDomain set to "apps.example.com".\n')
    expect(await answerOf('settings.update', ['settings', 'set', 'wildcardDomain'])).toMatchObject({ wildcardDomain: '' })
    expect(await berth(['settings', 'set', 'colour', 'red'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no setting "colour"'),
    })
    expect(await berth(['settings', 'set', 'retention', 'x'])).toMatchObject({ code: 2, err: expect.stringContaining('between 1 and 50') })
  })

  it('a person is invited by a link, and the invitation can be revoked', async () => {
    const sent = await berth(['users', 'invite', 'ellen@example.com', '--role', 'admin'])
    expect(sent.out, sent.err).toContain(`${server.baseUrl}/join#token=`)
    expect((await berth(['users', 'invitations'])).out).toContain('ellen@example.com')
    await answerOf('invitations.list', ['users', 'invitations'])
    await answerOf('invitations.create', ['users', 'invite', 'ellen@example.com'])
    await answerOf('invitations.delete', ['users', 'uninvite', 'ellen@example.com'])
    expect((await berth(['users', 'uninvite', 'ellen@example.com'])).err).toContain('(invitation_not_found)')
  })

  it('sessions are listed and ended', async () => {
    const other = createCli()
    await other.berth(['login', server.baseUrl, '--email', OWNER.email], { input: OWNER.password })
    const all = (await answerOf('auth.sessions', ['sessions'])) as { id: string; isCurrent: boolean }[] // just checked
    expect(all.length).toBeGreaterThan(1)
    expect((await berth(['sessions', 'end'])).code).toBe(2)
    await answerOf('auth.endSession', ['sessions', 'end', all.find(({ isCurrent }) => !isCurrent)?.id ?? ''])
    await answerOf('auth.endOtherSessions', ['sessions', 'end', '--others'])
    expect((await other.berth(['whoami'])).code).toBe(3)
  })

  it('disk space is asked of the engine', async () => {
    expect((await berth(['disk'])).err).toContain('(engine_unreachable)')
    expect((await berth(['disk', 'clean', '--yes'])).err).toContain('(engine_unreachable)')
    expect((await berth(['disk', 'clean'])).code, 'without a terminal it must be confirmed').toBe(2)
    expect((await berth(['storage', 'web'])).err).toContain('(engine_unreachable)')
  })

  it('a compose file is planned for an app, and for none', async () => {
    const file = join(home, 'compose.yaml')
    writeFileSync(file, 'services: { web: { image: "nginx:${TAG:-1}", expose: [3000] } }')
    expect(await answerOf('stacks.plan', ['plan', 'web', '--file', file])).toMatchObject({ isAccepted: true })
    expect(await answerOf('stacks.planNew', ['plan', '--project', 'Shop', '--file', file])).toMatchObject({ isAccepted: true })
    expect((await berth(['plan', 'web', '--file', file])).out).toMatch(/web +docker\.io\/library\/nginx:1 +1 +yes[^]*TAG +default: 1/)
    writeFileSync(file, 'services: { web: { image: nginx, privileged: true } }')
    const refused = await berth(['plan', 'web', '--file', file])
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('Refused: services.web.privileged is not allowed')])
    expect((await berth(['plan'])).code).toBe(2)
  })

  it('a compose file without a repository is set, printed and removed', async () => {
    const file = join(home, 'pasted.yaml')
    writeFileSync(file, 'services: { web: { image: nginx } }')
    await berth(['apps', 'create', 'pasted', '--project', 'Shop', '--type', 'compose', '--port', '80'])
    expect(await answerOf('stacks.setFile', ['apps', 'compose', 'pasted', file])).toMatchObject({ isAccepted: true })
    expect((await berth(['apps', 'compose', 'pasted'])).out).toBe('services: { web: { image: nginx } }\n')
    await answerOf('stacks.file', ['apps', 'compose', 'pasted'])
    expect((await berth(['apps', 'compose', 'pasted', '-'])).out).toContain('Compose file of pasted removed')
  })

  it('a port of the server is opened for a service of a compose app, and closed', async () => {
    await berth(['apps', 'create', 'with-ports', '--project', 'Shop', '--type', 'compose', '--port', '80'])
    expect(await answerOf('stacks.openPort', ['services', 'open', 'with-ports', 'db', '5432', '15432'])).toMatchObject([
      { service: 'db', port: 5432, hostPort: 15_432, address: '127.0.0.1', isOn: true, isOpen: false },
    ])
    await berth(['services', 'open', 'with-ports', 'db', '53', '15353', '--udp', '--address', '0.0.0.0'])
    expect((await berth(['services', 'ports', 'with-ports'])).out).toMatch(/db +53\/udp +15353 +0\.0\.0\.0 +opens/)
    expect(await answerOf('stacks.ports', ['services', 'ports', 'with-ports'])).toHaveLength(2)
    expect((await berth(['ports'])).out).toMatch(/15432\/tcp +127\.0\.0\.1 +with-ports +db:5432/)
    expect((await berth(['services', 'open', 'with-ports', 'db', '1', '80'])).err).toContain('a port between 1024 and 65535')
    expect((await berth(['services', 'open', 'with-ports', 'db', 'x', '8090'])).code).toBe(2)
    await answerOf('stacks.closePort', ['services', 'close', 'with-ports', 'db', '5432'])
    expect((await berth(['services', 'close', 'with-ports', 'db', '5432'])).err).toContain('must be an open port of the service db')
  })

  it('an app that was not deployed has no services', async () => {
    await answerOf('stacks.services', ['services', 'web'])
    expect(await answerOf('stacks.running', ['services', 'file', 'web'])).toMatchObject({ deploymentId: null, running: '' })
    for (const words of [
      ['services', 'start'],
      ['services', 'stop'],
      ['services', 'restart'],
    ])
      expect((await berth([...words, 'web', 'db'])).err).toContain('(no_container)')
  })

  it('users are listed, changed and deleted', async () => {
    await answerOf('users.create', ['users', 'create', 'bob@example.com'], 'a-good-password')
    expect(await answerOf('users.update', ['users', 'update', 'bob@example.com', '--role', 'admin'])).toMatchObject({ role: 'admin' })
    await answerOf('users.update', ['users', 'update', 'bob@example.com', '--password'], 'another-password')
    const bob = createCli()
    expect((await bob.berth(['login', server.baseUrl, '--email', 'bob@example.com'], { input: 'another-password' })).code).toBe(0)
    expect((await bob.berth(['password'], { input: 'another-password\nthe-third-password\n' })).code).toBe(0)
    expect((await bob.berth(['login', server.baseUrl, '--email', 'bob@example.com'], { input: 'the-third-password' })).code).toBe(0)
    await answerOf('users.delete', ['users', 'delete', 'bob@example.com', '--yes'])
    expect((await berth(['users'])).out).not.toContain('bob@example.com')
    expect((await berth(['users', 'delete', 'bob@example.com', '--yes'])).err).toContain('(user_not_found)')
    await answerOf('users.list', ['users'])
  })

  it('audit, ports, metrics and version tell about it', async () => {
    expect(await answerOf('audit.list', ['audit', '--limit', '1', '--action', 'project.'])).toHaveLength(1)
    expect((await berth(['audit'])).out).toContain(OWNER.email)
    expect([await answerOf('ports.list', ['ports']), await answerOf('nodes.list', ['nodes'])]).toEqual([expect.any(Array), []])
    await answerOf('metrics.history', ['metrics'])
    const { code, out } = await berth(['doctor', '--json'])
    expect([code, Check(operations['doctor.run'].answer, JSON.parse(out))]).toEqual([1, true]) // there is no engine
    expect((await berth(['doctor'])).out).toMatch(/Database +ok +whole[^]*Docker +problem +the engine does not answer +Start Docker/)
    await answerOf('updates.version', ['version'])
    expect((await berth(['version'])).out).toMatch(/^berth \S+, server \S+ /)
  })

  it('a build is planned for an app, and for a repository without one', async () => {
    await using git = await startGitServer()
    const files = { 'package.json': '{ "scripts": { "start": "node server.js" } }', 'package-lock.json': '{}' }
    const repository = await git.createRepository({ files })
    const of = ['plan', '--project', 'Shop', '--git', repository.url]
    expect(await answerOf('builds.planNew', of)).toMatchObject({ plan: { kind: 'node' }, problem: '' })
    expect((await berth(of)).out).toMatch(/Node\.js[^]*start command +node server\.js/)
    await berth(['apps', 'create', 'planned', '--project', 'Shop', '--git', repository.url, '--start-command', 'node other.js'])
    expect(await answerOf('builds.plan', ['plan', 'planned'])).toMatchObject({ plan: { kind: 'node' } })
    expect((await berth(['plan', 'planned', '--dockerfile'])).out).toMatch(/^FROM node:[^]*CMD \["node", "other\.js"\]\n$/)
    await repository.commit({ files: { 'package.json': '{}' } })
    const refused = await berth(of)
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('how to start this project')])
    await repository.commit({ files: { 'compose.yaml': 'services: { web: { image: nginx, expose: [80] } }' } })
    expect(await answerOf('stacks.planNew', of)).toMatchObject({ file: 'compose.yaml', isAccepted: true })
  })

  it('a build plan is of a deployment', async () => {
    expect((await berth(['build-plan', 'no-such-app'])).code).toBe(1)
  })

  it('backups are made, listed, verified and deleted', async () => {
    const { name } = (await answerOf('backups.create', ['backups', 'create'])) as { name: string } // checked by the schema
    expect((await berth(['backups'])).out).toContain(name)
    await answerOf('backups.list', ['backups'])
    await answerOf('backups.verify', ['backups', 'verify', name])
    expect((await berth(['backups', 'delete', name])).code).toBe(2)
    await answerOf('backups.delete', ['backups', 'delete', name, '--yes'])
    expect((await berth(['backups', 'verify', name])).err).toContain('(backup_not_found)')
  })

  it('updates are checked, cleared and applied', async () => {
    await answerOf('updates.check', ['updates', 'check'])
    await answerOf('updates.status', ['updates', 'status'])
    await answerOf('updates.clear', ['updates', 'clear'])
    await answerOf('updates.history', ['updates', 'history'])
    expect((await berth(['updates', 'apply'])).code).toBe(2)
    expect(await berth(['updates', 'apply', '--yes'])).toMatchObject({ code: 1, err: expect.stringContaining('(update_not_possible)') })
  })
})
