import { ERRORS, type ErrorCode, type OperationName, operations, type Policy, type SocketName, sockets } from '@berth/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inputOf } from '../../testing/harness/operation-inputs.ts'
import { OWNER, PASSWORD, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { checkAnswer, rawRequestOf } from '../../testing/harness/test-client.ts'
import {
  dumpDatabase,
  newSubject,
  type People,
  peopleOf,
  ROLES_TESTED,
  type Subject,
  type TestRole,
} from '../../testing/harness/test-world.ts'

type Verdict = 'allowed' | ErrorCode
const STAFF: readonly TestRole[] = ['admin', 'owner']

function signedIn(role: TestRole, verdict: () => Verdict): Verdict {
  return role === 'anonymous' ? 'not_signed_in' : verdict()
}

/** Callers who cannot see an object get "not found"; those who can see it but may not use it get "not allowed". */
function seen(role: TestRole, missing: ErrorCode, rule: { may: readonly TestRole[]; refusal: ErrorCode }): Verdict {
  return signedIn(role, () => (role === 'stranger' ? missing : rule.may.includes(role) ? 'allowed' : rule.refusal))
}

function members(missing: ErrorCode) {
  return (role: TestRole) => seen(role, missing, { may: ROLES_TESTED, refusal: 'not_allowed' })
}

/** Admins can see that an account exists, but may not use it. */
function ofAccount(role: TestRole, may: readonly TestRole[]): Verdict {
  return seen(role, 'git_not_connected', { may, refusal: 'not_allowed' })
}

function ofRegistry(role: TestRole, may: readonly TestRole[]): Verdict {
  return seen(role, 'registry_not_found', { may, refusal: 'not_allowed' })
}

/** Section 3 of the decisions, as a table. A policy without a line does not compile. */
const VERDICTS: Record<Policy, (role: TestRole) => Verdict> = {
  anyone: () => 'allowed',
  'signed webhook': () => 'allowed',
  'deploy hook': () => 'allowed',
  'signed in': (role) => signedIn(role, () => 'allowed'),
  admin: (role) => signedIn(role, () => (STAFF.includes(role) ? 'allowed' : 'not_allowed')),
  owner: (role) => signedIn(role, () => (role === 'owner' ? 'allowed' : 'not_allowed')),
  'member of the project': members('project_not_found'),
  'owner of the project': (role) => seen(role, 'project_not_found', { may: ['project owner', ...STAFF], refusal: 'not_allowed' }),
  'member but not owner of the project': (role) =>
    seen(role, 'project_not_found', { may: ['member', 'app owner'], refusal: 'not_allowed' }),
  'member of the app': members('app_not_found'),
  'owner of the app': (role) => seen(role, 'app_not_found', { may: ['app owner'], refusal: 'not_app_owner' }),
  'steward of the app': (role) => seen(role, 'app_not_found', { may: ['app owner', 'project owner', ...STAFF], refusal: 'not_allowed' }),
  'member of the env variable': members('env_variable_not_found'),
  'member of the domain': members('domain_not_found'),
  'member of the deployment': members('deployment_not_found'),
  'member of the container': members('container_not_found'),
  'reader of deliveries': members('app_not_found'),
  'member of the delivery': members('delivery_not_found'),
  'user of the git account': (role) => ofAccount(role, ['member', 'app owner', 'project owner']),
  'owner of the git account': (role) => ofAccount(role, ['app owner', 'project owner']),
  'user of the registry': (role) => ofRegistry(role, ['member', 'app owner', 'project owner']),
  'owner of the registry': (role) => ofRegistry(role, ['app owner', 'project owner']),
}

/** What allowed callers get, because the test server has no engine, no provider and no valid certificate. */
const ALLOWED_AND_YET: Partial<Record<OperationName, ErrorCode>> = {
  'auth.setup': 'already_set_up',
  'auth.join': 'wrong_invitation',
  'auth.endSession': 'session_not_found',
  'invitations.delete': 'invitation_not_found',
  'deployments.plan': 'not_found', // nothing was built
  'builds.plan': 'invalid_source', // no repository
  'builds.planNew': 'invalid_source', // one that does not answer
  'apps.storage': 'engine_unreachable',
  'apps.move': 'invalid_request', // it has no data
  'apps.stopMove': 'move_not_running',
  'volumes.delete': 'engine_unreachable',
  'disk.usage': 'engine_unreachable',
  'disk.cleanUp': 'engine_unreachable',
  'containers.start': 'engine_unreachable',
  'containers.stop': 'engine_unreachable',
  'containers.restart': 'engine_unreachable',
  'containers.status': 'engine_unreachable',
  'containers.logs': 'engine_unreachable',
  'containers.logPage': 'engine_unreachable',
  'containers.logSearch': 'engine_unreachable',
  'containers.logFile': 'engine_unreachable',
  'containers.usage': 'engine_unreachable',
  'stacks.services': 'engine_unreachable',
  'stacks.setFile': 'invalid_request',
  'stacks.openPort': 'invalid_request', // it is no compose app
  'stacks.closePort': 'invalid_request',
  'stacks.startService': 'engine_unreachable',
  'stacks.stopService': 'engine_unreachable',
  'stacks.restartService': 'engine_unreachable',
  'deployments.applySuggestion': 'not_found',
  'domains.setCertificate': 'invalid_certificate',
  'git.createAccount': 'git_host_unavailable',
  'git.connectGitHubApp': 'invalid_request',
  'git.repos': 'git_host_unavailable',
  'git.branches': 'git_host_unavailable',
  'registries.create': 'engine_unreachable',
  'registries.check': 'engine_unreachable',
  'apps.lookAtImage': 'engine_unreachable',
  'apps.checkImage': 'invalid_request',
  'webhooks.git': 'webhook_not_verified',
  'deployments.addByHook': 'webhook_not_verified',
  'webhooks.redeliver': 'invalid_request',
  'backups.verify': 'backup_not_found',
  'backups.download': 'backup_not_found',
  'backups.delete': 'backup_not_found',
  'nodes.remove': 'node_not_found',
  'servers.list': 'engine_unreachable',
  'servers.add': 'engine_unreachable',
  'servers.stopAdding': 'engine_unreachable',
  'servers.check': 'engine_unreachable',
  'servers.update': 'engine_unreachable',
  'servers.setManagers': 'engine_unreachable',
  'servers.remove': 'engine_unreachable',
  'servers.turnOff': 'engine_unreachable',
  'servers.image': 'wrong_server_token',
  'updates.apply': 'update_not_possible',
}

/** These remove something that the next role would need, so each call gets its own subject. */
const CONSUMES: ReadonlySet<OperationName> = new Set([
  'projects.members',
  'projects.leave',
  'projects.delete',
  'apps.transfer',
  'apps.delete',
  'envs.replace',
  'envs.delete',
  'files.delete',
  'domains.delete',
  'deployments.stop',
  'git.deleteAccount',
  'registries.delete',
])

/** Fields that name the object of a policy. */
const ID_FIELDS = ['id', 'projectId', 'appId', 'deploymentId', 'installationId', 'registryId'] as const
const UNKNOWN_ID = 987_654_321
const NAMES = Object.keys(operations) as OperationName[] // exactly the keys of the list

let berth: TestServer
let people: People
let shared: Subject // refused calls alone name it
let used: Subject
let n = 0

beforeAll(async () => {
  berth = await startTestServer({ tuning: { engineWaitMs: 600_000 } })
  people = await peopleOf(berth)
  shared = await newSubject(berth, people)
  used = await newSubject(berth, people)
})
afterAll(async () => await berth[Symbol.asyncDispose]())

function cookieFor(role: TestRole): { cookie?: string } {
  return role === 'anonymous' ? {} : { cookie: people[role].cookie }
}

async function send(name: OperationName, role: TestRole, input: Record<string, unknown>, cookie = cookieFor(role)) {
  const { method, path, body } = rawRequestOf(name, input)
  return await berth.raw(method, path, { ...cookie, ...(body === undefined ? {} : { body }) })
}

async function given(name: OperationName, role: TestRole, subject: Subject) {
  n += 1
  const own = n
  const needsUser = name === 'users.update' || name === 'users.delete'
  const fresh = needsUser ? await people.owner.call('users.create', { email: `target-${own}@example.test`, password: PASSWORD }) : undefined
  return { subject, n: own, newUserId: fresh?.id ?? 1, password: role === 'owner' ? OWNER.password : PASSWORD }
}

describe('who may call an operation', () => {
  const refusals = NAMES.map((name) => ({
    name,
    roles: ROLES_TESTED.filter((role) => VERDICTS[operations[name].may](role) !== 'allowed'),
  })).filter(({ roles }) => roles.length > 0)

  it.each(refusals)('$name refuses $roles, and changes nothing', async ({ name, roles }) => {
    const inputs = await Promise.all(roles.map(async (role) => inputOf(name, await given(name, role, shared))))
    const before = await dumpDatabase(berth)
    const answers = await Promise.all(roles.map(async (role, index) => await send(name, role, inputs[index] ?? {})))
    const codes = answers.map(({ json }) => json.code)
    expect(codes).toEqual(roles.map((role) => VERDICTS[operations[name].may](role)))
    for (const { status, json } of answers) {
      expect(json).toMatchObject({ success: false, error: expect.any(String) })
      expect(status).toBe(ERRORS[json.code ?? 'internal'].status)
    }
    expect(await dumpDatabase(berth)).toEqual(before)
  })

  it.each(NAMES)('%s lets in whom its policy names', async (name) => {
    const roles = ROLES_TESTED.filter((role) => VERDICTS[operations[name].may](role) === 'allowed')
    const outcomes = await Promise.all(
      roles.map(async (role) => {
        const subject = CONSUMES.has(name) ? await newSubject(berth, people) : used
        const input = inputOf(name, await given(name, role, subject))
        const own = name === 'auth.logout' && role !== 'anonymous' ? await berth.logIn(people[role].email, passwordOf(role)) : undefined
        const answer = await send(name, role, input, own ? { cookie: own.cookie } : undefined)
        if (answer.status === 200) checkAnswer(name, answer.text)
        return [role, answer.json.code ?? answer.status]
      }),
    )
    expect(outcomes).toEqual(roles.map((role) => [role, ALLOWED_AND_YET[name] ?? (operations[name].shape === 'redirect' ? 303 : 200)]))
  })

  const withIds = NAMES.filter((name) =>
    / of the (project|app|env variable|domain|deployment|delivery|git account)$/.test(operations[name].may),
  )
  it.each(withIds)('%s answers a foreign id and an unknown one alike', async (name) => {
    const input = inputOf(name, await given(name, 'stranger', shared))
    const field = ID_FIELDS.find((name) => name in input) ?? 'id'
    const unknown = { ...input, [field]: UNKNOWN_ID }
    const [foreign, missing] = [await send(name, 'stranger', input), await send(name, 'stranger', unknown)]
    expect(foreign.status).toBe(404)
    expect([missing.status, missing.text]).toEqual([foreign.status, foreign.text])
    const bySomebodyWhoSeesAll = await send(name, 'owner', unknown)
    expect(bySomebodyWhoSeesAll.text).toBe(foreign.text)
  })
})

describe('who may open a socket', () => {
  const INPUT: Record<SocketName, () => Record<string, string | number>> = {
    'deployment.stream': () => ({ deploymentId: shared.liveId }),
    'deployment.streamById': () => ({ deploymentId: shared.liveId }),
    'container.logs': () => ({ containerId: 'ffffffffffff' }),
    'app.logs': () => ({ appId: shared.appId }),
    metrics: () => ({}),
    events: () => ({}),
  }
  const SOCKETS = Object.keys(sockets) as SocketName[] // exactly the keys of the list

  it.each(SOCKETS)('%s is upgraded for whom its policy names, and refused before the upgrade otherwise', async (name) => {
    for (const role of ROLES_TESTED) {
      await using socket = await berth.connect(name, { ...cookieFor(role), input: INPUT[name]() })
      const verdict = VERDICTS[sockets[name].may](role)
      const isBlind = name === 'container.logs' && role !== 'anonymous' // without an engine no container can be looked up
      const expected = isBlind ? 503 : verdict === 'allowed' ? 101 : ERRORS[verdict].status
      expect([role, socket.status]).toEqual([role, expected])
      expect(socket.body.includes('"success":false')).toBe(expected !== 101)
    }
  })

  it('a foreign deployment and an unknown one are refused alike, on both addresses', async () => {
    for (const name of ['deployment.stream', 'deployment.streamById'] as const) {
      await using foreign = await berth.connect(name, { cookie: people.stranger.cookie, input: { deploymentId: shared.liveId } })
      await using unknown = await berth.connect(name, { cookie: people.stranger.cookie, input: { deploymentId: UNKNOWN_ID } })
      expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body])
      expect(foreign.body).toContain('deployment_not_found')
    }
  })

  it('a container id is no capability: one that is not ours is nowhere', async () => {
    await using odd = await berth.connect('container.logs', { cookie: people.owner.cookie, input: { containerId: 'not-an-id' } })
    expect([odd.status, odd.body]).toEqual([404, expect.stringContaining('container_not_found')])
  })

  it('refuses a page of another site, a bad parameter and an unknown address', async () => {
    const { cookie } = people.owner
    await using foreign = await berth.connect('events', { cookie, headers: { origin: 'https://evil.example' } })
    expect([foreign.status, foreign.body]).toEqual([403, expect.stringContaining('foreign_origin')])
    await using bad = await berth.connect('events', { cookie, input: { after: 'yesterday' } })
    expect([bad.status, bad.body]).toEqual([400, expect.stringContaining('after')])
    await using own = await berth.connect('events', { cookie, headers: { origin: berth.baseUrl } })
    expect(own.status).toBe(101)
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    expect((await berth.raw('GET', '/api/ws/nothing', { cookie, headers: upgrade })).json.code).toBe('not_found')
    expect((await berth.raw('GET', '/api/ws/./events', { cookie, headers: upgrade })).status).toBe(404)
  })

  it('no socket is open to anyone', () => {
    for (const line of Object.values(sockets)) expect(['anyone', 'signed webhook', 'deploy hook']).not.toContain(line.may)
  })
})

function passwordOf(role: TestRole): string {
  return role === 'owner' ? OWNER.password : PASSWORD
}
