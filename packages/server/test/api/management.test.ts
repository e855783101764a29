import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { ErrorCode } from '@berth/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownRecords } from '../../src/features/domains/own-address.ts'
import { OWNER, PASSWORD, type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { dumpDatabase, insertDeployment } from '../../testing/harness/test-world.ts'

let berth: TestServer
let owner: Person
let admin: Person
let n = 0

beforeAll(async () => {
  berth = await startTestServer()
  owner = await berth.owner()
  admin = await berth.as('admin', 'admin')
})
afterAll(async () => await berth[Symbol.asyncDispose]())

function refuses(call: Promise<unknown>, code: ErrorCode): Promise<void> {
  return expect(call).rejects.toMatchObject({ code })
}
async function newProject(person = owner) {
  n += 1
  return await person.call('projects.create', { name: `Project ${n}` })
}
async function newApp(person = owner, name = 'app') {
  const project = await newProject(person)
  return await person.call('apps.create', { projectId: project.id, name })
}
async function newPerson(role: 'user' | 'admin' = 'user'): Promise<Person> {
  n += 1
  return await berth.as(`person-${n}`, role)
}

describe('users', () => {
  it('nobody grants a role above their own, and owner is never granted', async () => {
    const { id } = await newPerson()
    const account = { email: 'high@example.test', password: PASSWORD }
    await refuses(admin.call('users.create', { ...account, role: 'owner' }), 'role_too_high')
    await refuses(owner.call('users.create', { ...account, role: 'owner' }), 'role_too_high')
    await refuses(admin.call('users.update', { id, role: 'owner' }), 'role_too_high')
    await refuses(admin.call('users.update', { id: owner.id, email: 'mine@example.test' }), 'role_too_high')
    await refuses(admin.call('users.update', { id: owner.id, password: PASSWORD }), 'role_too_high')
    await refuses(admin.call('users.delete', { id: owner.id }), 'role_too_high')
    expect((await berth.raw('POST', '/api/users/create', { cookie: admin.cookie, body: { ...account, role: 'root' } })).status).toBe(400)
    expect((await owner.call('users.list')).some(({ email }) => email === account.email)).toBe(false)
  })

  it('the last owner stays, and nobody deletes themselves', async () => {
    await refuses(owner.call('users.delete', { id: owner.id }), 'last_owner')
    await refuses(owner.call('users.update', { id: owner.id, role: 'admin' }), 'last_owner')
    await refuses(admin.call('users.delete', { id: admin.id }), 'not_allowed')
    expect((await owner.call('users.list')).slice(0, 2).map(({ role }) => role)).toEqual(['owner', 'admin'])
  })

  it('an e-mail belongs to one person, however it is written', async () => {
    const { id } = await newPerson()
    await refuses(owner.call('users.create', { email: ` ${OWNER.email.toUpperCase()}`, password: PASSWORD }), 'email_taken')
    await refuses(owner.call('users.update', { id, email: OWNER.email }), 'email_taken')
    await refuses(owner.call('users.update', { id: 999_999, email: 'a@example.test' }), 'user_not_found')
    await refuses(owner.call('users.delete', { id: 999_999 }), 'user_not_found')
    expect((await owner.call('users.list')).filter(({ email }) => email === OWNER.email)).toHaveLength(1)
  })

  it('what a deleted person owned passes to the one who deletes, and the audit log shows it', async () => {
    const leaver = await newPerson()
    const app = await newApp(leaver)
    await admin.call('users.delete', { id: leaver.id })
    const project = await admin.call('projects.get', { id: app.project_id })
    expect([project.ownerId, project.applications[0]?.created_by]).toEqual([admin.id, admin.id])
    expect(project.members.map(({ id }) => id)).toEqual([admin.id])
    expect((await admin.call('apps.update', { appId: app.id, description: 'mine now' })).description).toBe('mine now')
    const [entry] = await owner.call('audit.list', { action: 'user.delete', limit: 1 })
    expect(entry).toMatchObject({
      actorId: admin.id,
      subjectId: leaver.id,
      after: { passedOn: { projects: [project.id], apps: [app.id] } },
    })
  })
})

describe('projects', () => {
  it('the owner always stays a member, and an unknown person refuses the whole change', async () => {
    const [first, second] = [await newPerson(), await newPerson()]
    const project = await newProject(first)
    const set = async (input: { userIds?: number[]; emails?: string[] }) =>
      (await first.call('projects.members', { id: project.id, ...input })).members
    expect((await set({ emails: [second.email] })).map(({ id }) => id)).toEqual([first.id, second.id])
    expect((await set({ userIds: [second.id] })).map(({ id }) => id)).toEqual([first.id, second.id])
    await refuses(set({ userIds: [999_999] }), 'user_not_found')
    await refuses(set({ emails: [second.email, 'nobody@example.test'] }), 'user_not_found')
    await refuses(set({}), 'invalid_request')
    expect((await second.call('projects.get', { id: project.id })).members).toHaveLength(2)
    expect((await set({ emails: [second.email.toUpperCase()] })).map(({ email }) => email)).toContain(second.email)
    expect((await set({ userIds: [] })).map(({ id }) => id)).toEqual([first.id])
    await refuses(second.call('projects.get', { id: project.id }), 'project_not_found')
  })

  it('people see their own projects and apps, admins see all', async () => {
    const person = await newPerson()
    const app = await newApp(person)
    expect((await person.call('projects.list')).map(({ id }) => id)).toEqual([app.project_id])
    expect((await person.call('apps.listAll')).map(({ id }) => id)).toEqual([app.id])
    expect((await admin.call('projects.list')).map(({ id }) => id)).toContain(app.project_id)
    expect((await admin.call('apps.listAll')).map(({ id }) => id)).toContain(app.id)
  })

  it('takes tags as a text and as a list', async () => {
    const project = await owner.call('projects.create', { name: 'Tags', tags: ['a', ' b ', 'a'] })
    expect(project.tags).toBe('a,b')
    expect((await owner.call('projects.update', { id: project.id, tags: 'x, y,,x' })).tags).toBe('x,y')
    expect((await owner.call('projects.update', { id: project.id, name: 'Renamed' })).tags).toBe('x,y')
  })

  it('a deleted one removes everything in it', async () => {
    const app = await newApp()
    const variable = await owner.call('envs.create', { appId: app.id, key: 'A', value: 'b' })
    const domain = await owner.call('domains.create', { appId: app.id, domain: `gone-${n}.example.com` })
    expect(await owner.call('projects.delete', { id: app.project_id })).toEqual({ id: app.project_id })
    await refuses(owner.call('apps.get', { appId: app.id }), 'app_not_found')
    await refuses(owner.call('envs.delete', { id: variable.id }), 'env_variable_not_found')
    await refuses(owner.call('domains.delete', { id: domain.id }), 'domain_not_found')
    const again = await newApp()
    await owner.call('domains.create', { appId: again.id, domain: domain.domain })
  })
})

describe('apps', () => {
  it('names are taken once a project, whatever their case', async () => {
    const app = await newApp(owner, 'Shop')
    await refuses(owner.call('apps.create', { projectId: app.project_id, name: 'shop' }), 'app_name_taken')
    const other = await owner.call('apps.create', { projectId: app.project_id, name: 'Shop!' })
    expect([app.slug, other.slug]).toEqual(['shop', 'shop-2'])
    await refuses(owner.call('apps.update', { appId: other.id, name: 'SHOP' }), 'app_name_taken')
  })

  it('a database app needs a template that exists, and has its port and its secrets', async () => {
    const { id: projectId } = await newProject()
    const create = async (templateName?: string) =>
      await owner.call('apps.create', { projectId, name: `db ${templateName}`, appType: 'database', ...(templateName && { templateName }) })
    await refuses(create(), 'template_required')
    await refuses(create('oracle'), 'template_unknown')
    for (const { name, port, aliases } of await owner.call('templates.list')) {
      const app = await create(name)
      expect([app.template_name, app.port, app.domains]).toEqual([name, port, []])
      const secrets = (await owner.call('envs.list', { appId: app.id })).filter(({ key }) => key.includes('PASSWORD'))
      for (const { value } of secrets) expect(value).toMatch(/^[A-Za-z0-9]{32}$/)
      const { url, host } = await owner.call('apps.connection', { appId: app.id })
      expect([host, url.includes(`@${app.slug}:${port}`)]).toEqual([app.slug, true])
      for (const alias of aliases) expect((await create(alias)).template_name).toBe(name)
    }
    const web = await newApp()
    await refuses(owner.call('apps.connection', { appId: web.id }), 'invalid_request')
  })

  it('only valid sources are accepted, and files of this machine only from admins', async () => {
    const person = await newPerson()
    const { id: appId } = await newApp(person)
    for (const gitCloneUrl of ['--upload-pack=x', 'ext::sh -c id', 'javascript:alert(1)', 'file:///etc', '/etc', 'https://'])
      await refuses(person.call('apps.update', { appId, gitCloneUrl }), 'invalid_source')
    for (const gitBranch of ['--help', 'a..b', 'a b', 'a:b'])
      await refuses(person.call('apps.update', { appId, gitBranch }), 'invalid_source')
    await refuses(person.call('apps.update', { appId, gitProviderId: 1 }), 'git_not_connected')
    for (const rootDirectory of ['../x', '/etc', 'a/../../b', 'a\\b', '%2e%2e/x'])
      await refuses(person.call('apps.update', { appId, rootDirectory }), 'invalid_request')
    const fine = await person.call('apps.update', {
      appId,
      gitCloneUrl: 'https://example.com/o/r.git',
      gitBranch: 'main',
      rootDirectory: 'apps/web',
    })
    expect(fine).toMatchObject({ git_clone_url: 'https://example.com/o/r.git', git_branch: 'main', root_directory: 'apps/web' })
  })

  it('can only be changed by its owner; an admin takes it over first, and the audit log shows that', async () => {
    const person = await newPerson()
    const app = await newApp(person)
    await refuses(admin.call('apps.update', { appId: app.id, description: 'x' }), 'not_app_owner')
    expect((await admin.call('apps.transfer', { appId: app.id, userId: admin.id })).created_by).toBe(admin.id)
    await admin.call('apps.update', { appId: app.id, description: 'x' })
    await refuses(person.call('apps.update', { appId: app.id, description: 'y' }), 'not_app_owner')
    await refuses(admin.call('apps.transfer', { appId: app.id, userId: 999_999 }), 'user_not_found')
    const [entry] = await owner.call('audit.list', { action: 'app.transfer', limit: 1 })
    expect(entry).toMatchObject({ actorId: admin.id, before: { owner: person.id }, after: { owner: admin.id } })
  })

  it('without a container has a state, no logs, and nothing to start', async () => {
    const { id: appId } = await newApp()
    expect(await owner.call('containers.status', { appId })).toEqual({ state: 'not_deployed', status: 'No container yet', id: '' })
    expect(await owner.call('containers.logs', { appId })).toEqual({ logs: '' })
    expect(await owner.call('containers.usage', { appId })).toEqual({ cpu: 0, memory: 0, memoryLimit: 0 })
    for (const verb of ['containers.start', 'containers.stop', 'containers.restart'] as const)
      await refuses(owner.call(verb, { appId }), 'no_container')
    expect(await owner.call('stacks.services', { appId })).toEqual({ deploymentId: null, services: [] })
    for (const verb of ['stacks.startService', 'stacks.stopService', 'stacks.restartService'] as const)
      await refuses(owner.call(verb, { appId, service: 'web' }), 'no_container')
    await insertDeployment(berth, { appId, number: 1, status: 'success', isActive: true, image: 'x' })
    await refuses(owner.call('containers.start', { appId }), 'engine_unreachable')
  })

  it('a finished deployment cannot be cancelled, and only a release can be rolled back to', async () => {
    const { id: appId } = await newApp()
    const failed = await insertDeployment(berth, { appId, number: 1, status: 'failed', isActive: false, image: '' })
    const live = await insertDeployment(berth, { appId, number: 2, status: 'success', isActive: true, image: 'x' })
    await refuses(owner.call('deployments.stop', { deploymentId: failed }), 'deployment_ended')
    await refuses(owner.call('deployments.rollback', { deploymentId: failed }), 'no_release')
    await refuses(owner.call('deployments.rollback', { deploymentId: live }), 'no_release')
    expect((await owner.call('deployments.list', { appId })).map((row) => row.deployment_number)).toEqual([2, 1])
    expect(await owner.call('deployments.log', { deploymentId: live })).toBe('')
  })
})

describe('environment variables', () => {
  it('are taken byte for byte, once a key, and replaced at once', async () => {
    const { id: appId } = await newApp()
    const value = 'line\nbreak "quotes" $HOME #=\t\u{1f600}'
    const variable = await owner.call('envs.create', { appId, key: 'A', value })
    expect(variable.value).toBe(value)
    await refuses(owner.call('envs.create', { appId, key: 'A', value: '' }), 'env_key_taken')
    await owner.call('envs.create', { appId, key: 'B', value: '' })
    await refuses(owner.call('envs.update', { id: variable.id, key: 'B' }), 'env_key_taken')
    const replaced = await owner.call('envs.replace', {
      appId,
      variables: [
        { key: 'A', value },
        { key: 'C', value: 'c' },
      ],
    })
    expect(replaced.map(({ id, key }) => [id === variable.id, key])).toEqual([
      [true, 'A'],
      [false, 'C'],
    ])
    await refuses(
      owner.call('envs.replace', {
        appId,
        variables: [
          { key: 'A', value },
          { key: 'A', value },
        ],
      }),
      'invalid_request',
    )
    expect(await owner.call('envs.list', { appId })).toEqual(replaced)
  })

  it('are sealed at rest: no file of the data directory shows one, and no row', async () => {
    const secrets = ['planted-at-creation', 'planted-alone', 'planted-changed', 'planted-replaced']
    const { id: projectId } = await newProject()
    const app = await owner.call('apps.create', { projectId, name: 'sealed', envVars: { A: 'planted-at-creation' } })
    const { id } = await owner.call('envs.create', { appId: app.id, key: 'B', value: 'planted-alone' })
    await owner.call('envs.update', { id, value: 'planted-changed' })
    await owner.call('deployments.add', { appId: app.id })
    await owner.call('envs.replace', { appId: app.id, variables: [{ key: 'C', value: 'planted-replaced' }] })
    const files = readdirSync(berth.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const database = berth.env['BERTH_DATABASE_URL'] ? [] : ['berth.sqlite', 'berth.sqlite-wal']
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['secrets.key', ...database]))
    const read = files.map(({ parentPath, name }) => [name, readFileSync(path.join(parentPath, name))] as const)
    for (const [name, bytes] of [['rows', Buffer.from(JSON.stringify(await dumpDatabase(berth)))] as const, ...read])
      for (const secret of [...secrets, PASSWORD, OWNER.password])
        expect([name, secret, bytes.includes(secret)]).toEqual([name, secret, false])
  })
})

describe('domains', () => {
  it('have a grammar, belong to one app, and some are reserved', async () => {
    const { id: appId } = await newApp()
    const add = async (domain: string) => await owner.call('domains.create', { appId, domain })
    expect((await add('Www.Example.ORG.')).domain).toBe('www.example.org')
    await refuses(add('www.example.org'), 'domain_taken')
    await refuses(add('WWW.example.org.'), 'domain_taken')
    for (const bad of ['*.example.org', 'example', '127.0.0.1', 'a_b.example.org', 'x.example.org/y', '-a.example.org'])
      await refuses(add(bad), 'invalid_domain')
    await refuses(add('localhost'), 'domain_reserved')
    const { id: projectId } = await newProject()
    const service = await owner.call('apps.create', { projectId, name: 'worker', appType: 'service' })
    await refuses(owner.call('domains.create', { appId: service.id, domain: 'worker.example.org' }), 'invalid_request')
  })

  it('change and go', async () => {
    const { id: appId } = await newApp()
    const domain = await owner.call('domains.create', { appId, domain: 'changes.example.org' })
    expect(domain).toMatchObject({ generated: false, sslStatus: 'none', redirectHttps: true, hsts: true })
    expect(domain.dnsRecords).toEqual(await ownRecords())
    expect(await owner.call('domains.update', { id: domain.id, hsts: false })).toMatchObject({ redirectHttps: true, hsts: false })
    await refuses(owner.call('domains.setCertificate', { id: domain.id, certificate: 'x', privateKey: 'y' }), 'invalid_certificate')
    expect((await owner.call('domains.removeCertificate', { id: domain.id })).ownCertificate).toBe(false)
    expect(await owner.call('domains.delete', { id: domain.id })).toEqual({ id: domain.id })
    expect((await owner.call('domains.list', { appId })).filter(({ generated }) => !generated)).toEqual([])
  })
})

describe('settings', () => {
  it('a wildcard gives every web app a domain, old and new, and a suffix where two would meet', async () => {
    await using own = await startTestServer()
    const { call } = await own.owner()
    const make = async (project: string, name: string, appType: 'web' | 'service' = 'web') => {
      const { id: projectId } = await call('projects.create', { name: project })
      return await call('apps.create', { projectId, name, appType })
    }
    const old = await make('c', 'a-b')
    const service = await make('x', 'worker', 'service')
    await call('settings.update', { wildcardDomain: 'Apps.Example.com', dashboardDomain: 'mine-q.apps.example.com' })
    const hosts = async (appId: number) => (await call('apps.get', { appId })).domains
    expect(await hosts(old.id)).toEqual(['a-b-c.apps.example.com'])
    expect(await hosts(service.id)).toEqual([])
    const collides = await make('b-c', 'a')
    expect(collides.domains).toEqual([`a-b-c-${collides.id}.apps.example.com`])
    const reserved = await make('q', 'mine')
    expect(reserved.domains).toEqual([`mine-q-${reserved.id}.apps.example.com`])
    const long = await make('p'.repeat(60), 'n'.repeat(60))
    expect(long.domains[0]).toMatch(/^[a-z0-9-]{1,63}\.apps\.example\.com$/)
    await call('settings.update', { wildcardDomain: 'apps.example.com' })
    expect(await hosts(old.id)).toHaveLength(1)
    await call('settings.update', { wildcardDomain: 'other.example.com' })
    expect(await hosts(old.id)).toEqual(['a-b-c.other.example.com'])
    for (const domain of ['other.example.com', 'mine-q.apps.example.com']) {
      const refused = call('domains.create', { appId: old.id, domain })
      await expect(refused).rejects.toMatchObject({ code: 'domain_reserved', details: [{ field: 'domain' }] })
    }
    await expect(call('settings.update', { dashboardDomain: 'a-b-c.other.example.com' })).rejects.toMatchObject({ code: 'domain_taken' })
    await expect(call('settings.update', { wildcardDomain: '*.*.example.com' })).rejects.toMatchObject({ code: 'invalid_domain' })
  })

  it('of updates are changed by an owner alone', async () => {
    const refused = (await berth.as('settings-admin', 'admin')).call('settings.update', { automaticUpdates: 'all' })
    await expect(refused).rejects.toMatchObject({ code: 'not_allowed' })
  })
  it('keep what is not given, and survive a restart', async () => {
    await using own = await startTestServer()
    const { call } = await own.owner()
    await call('settings.update', { retention: 7 })
    expect(await call('settings.update', { concurrency: 3 })).toMatchObject({ retention: 7, concurrency: 3, wildcardDomain: '' })
    await own.restart()
    expect(await call('settings.get')).toMatchObject({ retention: 7, concurrency: 3 })
  })
})

describe('the audit log', () => {
  it('says who changed what, from where, before and after, and holds no secret', async () => {
    const person = await newPerson()
    const { id: projectId } = await newProject(person)
    const app = await person.call('apps.create', { projectId, name: 'audited', envVars: { A: 'planted-audit-1' } })
    await person.call('envs.create', { appId: app.id, key: 'B', value: 'planted-audit-2' })
    await person.call('auth.password', { currentPassword: PASSWORD, newPassword: 'planted-audit-3' })
    await owner.call('users.update', { id: person.id, password: 'planted-audit-4' })
    const change = { appId: app.id, description: 'after' }
    const again = await berth.logIn(person.email, 'planted-audit-4')
    const answer = await berth.raw('POST', '/api/apps/update', {
      cookie: again.cookie,
      body: change,
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    const entries = await owner.call('audit.list', { limit: 500 })
    expect(entries.find(({ action, subjectId }) => action === 'app.update' && subjectId === app.id)).toMatchObject({
      actorId: person.id,
      actorEmail: person.email,
      before: { description: '' },
      after: { description: 'after' },
      address: '203.0.113.9',
      requestId: answer.headers['x-request-id'],
    })
    expect(entries.find(({ action }) => action === 'env.create')?.after).toEqual({ keys: ['B'] })
    expect(entries.find(({ action, subjectId }) => action === 'user.update' && subjectId === person.id)?.after).toEqual({
      password: 'changed',
    })
    const text = JSON.stringify(entries)
    for (const secret of ['planted-audit', PASSWORD, OWNER.password, 'argon2', again.cookie.slice(-30)]) expect(text).not.toContain(secret)
  })

  it('is read page by page, newest first, and by who and what', async () => {
    const all = await owner.call('audit.list', { limit: 500 })
    const first = await owner.call('audit.list', { limit: 3 })
    const second = await owner.call('audit.list', { limit: 3, before: first.at(-1)?.id ?? 0 })
    expect([...first, ...second].map(({ id }) => id)).toEqual(all.slice(0, 6).map(({ id }) => id))
    const mine = await owner.call('audit.list', { actorId: admin.id, action: 'user.' })
    expect(mine.every(({ actorId, action }) => actorId === admin.id && action.startsWith('user.'))).toBe(true)
  })

  it('a change that is refused leaves no line', async () => {
    const [last] = await owner.call('audit.list', { limit: 1 })
    await refuses(
      owner.call('projects.members', { id: (await owner.call('projects.list'))[0]?.id ?? 0, userIds: [999_999] }),
      'user_not_found',
    )
    expect((await owner.call('audit.list', { limit: 1 }))[0]).toEqual(last)
  })
})

describe('updates', () => {
  it('say the version, and that there is nothing to apply or to clear', async () => {
    const { version } = await owner.call('updates.version')
    expect(await owner.call('updates.check')).toMatchObject({ current: version, latest: version, available: false })
    expect((await owner.call('updates.status')).state).toBe('idle')
    expect(await owner.call('updates.clear')).toEqual({ cleared: false })
    expect(await owner.call('updates.history')).toEqual([])
    await refuses(owner.call('updates.apply'), 'update_not_possible')
  })
})
