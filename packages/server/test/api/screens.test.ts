import type { ErrorCode } from '@berth/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWNER, PASSWORD, type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { dumpDatabase, insertDeployment } from '../../testing/harness/test-world.ts'

let berth: TestServer
let owner: Person
let admin: Person

beforeAll(async () => {
  berth = await startTestServer({ tuning: { engineWaitMs: 600_000 } })
  owner = await berth.owner()
  admin = await berth.as('admin', 'admin')
})
afterAll(async () => await berth[Symbol.asyncDispose]())

function refuses(call: Promise<unknown>, code: ErrorCode): Promise<void> {
  return expect(call).rejects.toMatchObject({ code })
}

function tokenOf(link: string): string {
  return /#token=([^&]+)/.exec(link)?.[1] ?? ''
}

async function join(token: string, password = PASSWORD) {
  return await berth.raw('POST', '/api/auth/join', { body: { token, password } })
}

describe('invitations', () => {
  it('a person sets their own password with a link that works once', async () => {
    const { link, email, role } = await admin.call('invitations.create', { email: ' New@Example.test ', role: 'admin' })
    expect([email, role]).toEqual(['new@example.test', 'admin'])
    expect((await owner.call('invitations.list')).map((each) => [each.email, each.invitedBy])).toEqual([[email, admin.email]])
    expect(JSON.stringify(await dumpDatabase(berth))).not.toContain(tokenOf(link))
    const answers = await Promise.all([join(tokenOf(link)), join(tokenOf(link))])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
    expect((await berth.logIn(email, PASSWORD)).role).toBe('admin')
    expect(await owner.call('invitations.list')).toEqual([])
    await refuses(admin.call('invitations.create', { email }), 'email_taken')
  })

  it('a newer link replaces the earlier one, and a revoked one stops working', async () => {
    const first = await admin.call('invitations.create', { email: 'twice@example.test' })
    const second = await admin.call('invitations.create', { email: 'twice@example.test' })
    expect((await join(tokenOf(first.link))).json.code).toBe('wrong_invitation')
    await admin.call('invitations.delete', { id: second.id })
    expect((await join(tokenOf(second.link))).json.code).toBe('wrong_invitation')
    await refuses(admin.call('invitations.delete', { id: second.id }), 'invitation_not_found')
  })

  it('an invitation ends when the role of its sender changes', async () => {
    const demoted = await berth.as('demoted', 'admin')
    const { link } = await demoted.call('invitations.create', { email: 'second-self@example.test', role: 'admin' })
    await owner.call('users.update', { id: demoted.id, role: 'user' })
    expect((await join(tokenOf(link))).json.code).toBe('wrong_invitation')
  })

  it('an invitation ends when its email gets an account in another way', async () => {
    const created = await owner.call('invitations.create', { email: 'created@example.test', role: 'admin' })
    const { id } = await owner.call('users.create', { email: 'created@example.test', password: PASSWORD })
    const renamed = await owner.call('invitations.create', { email: 'renamed@example.test', role: 'admin' })
    await owner.call('users.update', { id, email: 'renamed@example.test' })
    await owner.call('users.delete', { id })
    for (const { link } of [created, renamed]) expect((await join(tokenOf(link))).json.code).toBe('wrong_invitation')
  })

  it('nobody can invite above their own role, and an invitation ends with the account that sent it', async () => {
    await refuses(admin.call('invitations.create', { email: 'x@example.test', role: 'owner' }), 'role_too_high')
    const leaver = await berth.as('leaver', 'admin')
    const { link } = await leaver.call('invitations.create', { email: 'late@example.test' })
    await owner.call('users.delete', { id: leaver.id })
    expect((await join(tokenOf(link))).json.code).toBe('wrong_invitation')
  })
})

describe('sessions', () => {
  it('are listed for their owner, and end one by one or all except the current one', async () => {
    const person = await berth.as('sessions')
    const [second, third] = [await berth.logIn(person.email, PASSWORD), await berth.logIn(person.email, PASSWORD)]
    const list = await third.call('auth.sessions')
    expect(list.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false])
    const [, other] = list
    expect(await third.call('auth.endSession', { id: other?.id ?? '' })).toEqual({ ended: 1 })
    await refuses(third.call('auth.endSession', { id: other?.id ?? '' }), 'session_not_found')
    await refuses(owner.call('auth.endSession', { id: list[0]?.id ?? '' }), 'session_not_found')
    await refuses(second.call('auth.me', {}), 'not_signed_in')
    expect(await third.call('auth.endOtherSessions')).toEqual({ ended: 1 })
    await refuses(person.call('auth.me', {}), 'not_signed_in')
    expect(await third.call('auth.me', {})).toMatchObject({ email: person.email })
  })
})

async function appWith(deployments: number): Promise<{ appId: number; ids: number[] }> {
  const project = await owner.call('projects.create', { name: `Lists ${deployments}` })
  const { id: appId } = await owner.call('apps.create', { projectId: project.id, name: 'web' })
  const ids: number[] = []
  for (let number = 1; number <= deployments; number += 1) {
    const isActive = number === 2
    ids.unshift(await insertDeployment(berth, { appId, number, status: isActive ? 'success' : 'failed', image: '', isActive }))
  }
  return { appId, ids }
}

describe('deployments', () => {
  it('are listed page by page, by status and by what is live', async () => {
    const { appId, ids } = await appWith(5)
    const list = async (more: object) => (await owner.call('deployments.list', { appId, ...more })).map(({ id }) => id)
    expect(await list({})).toEqual(ids)
    expect(await list({ limit: 2 })).toEqual(ids.slice(0, 2))
    expect(await list({ limit: 2, before: ids[1] ?? 0 })).toEqual(ids.slice(2, 4))
    expect(await list({ status: 'success' })).toEqual([ids[3]])
    expect(await list({ isActive: true })).toEqual([ids[3]])
    expect(await list({ search: '%' })).toEqual([])
  })

  it('of a given commit are queued with it, and have a place in the queue', async () => {
    const { appId } = await appWith(1)
    await owner.call('apps.update', { appId, gitCloneUrl: 'https://127.0.0.1:9/none.git' })
    const commit = 'a'.repeat(40)
    const { id } = await owner.call('deployments.create', { appId, commit })
    expect(await owner.call('deployments.get', { id })).toMatchObject({ commit_hash: commit, steps: [] })
    const waiting = await owner.call('deployments.create', { appId, commit })
    const { queue_position } = await owner.call('deployments.get', { id: waiting.id })
    expect(queue_position).toBeGreaterThan(0)
    expect(await owner.call('deployments.list', { appId, search: 'aaaa' })).toHaveLength(2)
    for (const each of [id, waiting.id]) await owner.call('deployments.stop', { deploymentId: each })
    await refuses(owner.call('deployments.create', { appId, commit: 'main' }), 'invalid_request')
  })

  it('are compared only with others of the same app', async () => {
    const [one, two] = [await appWith(3), await appWith(2)]
    const [from = 0, to = 0] = one.ids
    expect(await owner.call('deployments.compare', { deploymentId: from, withId: to })).toEqual({
      settings: [],
      environment: [],
      notKept: [from, to],
    })
    await refuses(owner.call('deployments.compare', { deploymentId: from, withId: two.ids[0] ?? 0 }), 'deployment_not_found')
  })

  it('the overview has the last one of each app that the caller can see', async () => {
    const { appId, ids } = await appWith(4)
    const { newestDeployments, health } = await owner.call('overview.get')
    expect(newestDeployments.filter(({ app_id }) => app_id === appId).map(({ id }) => id)).toEqual(ids.slice(0, 1))
    expect(health.checks.database).toBe('ok')
    const stranger = await berth.as('overview-stranger')
    expect((await stranger.call('overview.get')).newestDeployments).toEqual([])
  })
})

describe('an app', () => {
  it('takes at its creation what can be changed later', async () => {
    const project = await owner.call('projects.create', { name: 'Whole' })
    const runtime = {
      healthcheckPath: '/up',
      deploymentStrategy: 'recreate',
      cpuLimit: 0.5,
      memoryLimit: 256,
      restartPolicy: 'always',
      replicas: 3,
    } as const
    expect(await owner.call('apps.create', { projectId: project.id, name: 'web', port: 8080, ...runtime })).toMatchObject({
      port: 8080,
      healthcheck_path: '/up',
      deployment_strategy: 'recreate',
      cpu_limit: 0.5,
      memory_limit: 256,
      restart_policy: 'always',
      replicas: 3,
    })
  })

  it('has other processes beside the main one, unless it is a database or has a compose file', async () => {
    const project = await owner.call('projects.create', { name: 'Processes' })
    const web = await owner.call('apps.create', { projectId: project.id, name: 'web', processes: [{ name: 'worker', command: ' work ' }] })
    expect(web.processes).toEqual([{ name: 'worker', command: 'work', replicas: 1 }])
    const set = async (...processes: { name: string; command?: string; replicas?: number }[]) =>
      (await owner.call('apps.update', { appId: web.id, processes })).processes
    expect(await set({ name: 'clock', replicas: 0 })).toEqual([{ name: 'clock', command: '', replicas: 0 }])
    for (const wrong of [
      { name: 'web' },
      { name: 'release' },
      { name: 'a b' },
      { name: '' },
      { name: 'a', replicas: 21 },
      { name: 'a', command: 'a\nb' },
    ])
      await refuses(set(wrong), 'invalid_request')
    await refuses(set({ name: 'twice' }, { name: 'twice' }), 'invalid_request')
    const volumes = [{ name: 'data', path: '/data' }]
    expect((await owner.call('apps.update', { appId: web.id, volumes })).volumes).toHaveLength(1) // the clock does not run
    await refuses(set({ name: 'clock', replicas: 1 }), 'invalid_request')
    const stack = await owner.call('apps.create', { projectId: project.id, name: 'stack', appType: 'compose' })
    await refuses(owner.call('apps.update', { appId: stack.id, processes: [{ name: 'worker' }] }), 'invalid_request')
  })

  it('has 1 to 20 replicas, unless it is a database or has a compose file', async () => {
    const project = await owner.call('projects.create', { name: 'Many' })
    const web = await owner.call('apps.create', { projectId: project.id, name: 'web' })
    expect(web.replicas).toBe(1)
    expect((await owner.call('apps.update', { appId: web.id, replicas: 20 })).replicas).toBe(20)
    for (const replicas of [0, 21, 1.5]) await refuses(owner.call('apps.update', { appId: web.id, replicas }), 'invalid_request')
    const stack = await owner.call('apps.create', { projectId: project.id, name: 'stack', appType: 'compose', replicas: 1 })
    await refuses(owner.call('apps.update', { appId: stack.id, replicas: 2 }), 'invalid_request')
    const database = { projectId: project.id, name: 'db', appType: 'database', templateName: 'postgres' } as const
    await refuses(owner.call('apps.create', { ...database, replicas: 2 }), 'invalid_request')
  })
})

describe('the audit log', () => {
  it('is searched by text and by day, failed logins included', async () => {
    await berth.raw('POST', '/api/auth/login', { body: { email: OWNER.email, password: 'wrong-password' } })
    const [failed] = await owner.call('audit.list', { action: 'session.login_failed' })
    expect(failed).toBeDefined()
    const found = await owner.call('audit.list', { search: 'new@example.test', action: 'user.' })
    expect(found.map(({ action }) => action)).toEqual(['user.join', 'user.invite'])
    const today = new Date().toISOString().slice(0, 10)
    expect(await owner.call('audit.list', { since: today, until: today, limit: 1 })).toHaveLength(1)
    expect(await owner.call('audit.list', { until: '2020-01-01' })).toEqual([])
    expect(await owner.call('audit.list', { search: '%', limit: 5 })).toEqual([])
    await refuses(owner.call('audit.list', { since: 'yesterday' }), 'invalid_request')
  })
})
