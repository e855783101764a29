import { ERRORS, type Operation, type OperationName, operations } from '@berth/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inputOf } from '../../testing/harness/operation-inputs.ts'
import { PASSWORD, type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { type RawAnswer, rawRequestOf } from '../../testing/harness/test-client.ts'
import { newSubject, type People, peopleOf, type Subject } from '../../testing/harness/test-world.ts'

const RUNS = 30
const NAMES = Object.keys(operations) as OperationName[] // exactly the keys of the list

function fieldsOf(name: OperationName): { name: string; place: 'params' | 'query' | 'body'; isLenient: boolean; isRequired: boolean }[] {
  const line: Operation = operations[name]
  return (['params', 'query', 'body'] as const).flatMap((place) =>
    Object.entries(line[place]?.properties ?? {}).map(([field, schema]) => ({
      name: field,
      place,
      isLenient: 'lenient' in schema,
      isRequired: new Set<string>(line[place]?.required).has(field),
    })),
  )
}
const WITH_INPUT = NAMES.filter((name) => fieldsOf(name).length > 0)

let berth: TestServer
let people: People
let admin: Person
let subject: Subject
let n = 0

beforeAll(async () => {
  berth = await startTestServer()
  people = await peopleOf(berth)
  admin = people.admin // may do nearly everything, but cannot lock the owner out
  subject = await newSubject(berth, people)
})
afterAll(async () => await berth[Symbol.asyncDispose]())

function validInput(name: OperationName, of: Subject): Record<string, unknown> {
  n += 1
  const input = inputOf(name, { subject: of, n, newUserId: people.stranger.id, password: PASSWORD })
  if (name === 'auth.login') return { ...input, email: `nobody-${n}@example.test` } // the failures of one account are slowed down
  if (name === 'domains.check') return { id: 999_999 } // a known one would query DNS
  return input
}

async function send(name: OperationName, input: Record<string, unknown>): Promise<RawAnswer> {
  const { method, path, body } = rawRequestOf(name, input)
  const { cookie } = operations[name].may === 'owner' && WITH_INPUT.includes(name) ? people.owner : admin
  return await berth.raw(method, path, { cookie, ...(body === undefined ? {} : { body }) })
}

const INSIDES = /SQLITE|sqlite|select |insert into|node_modules|\.ts:\d|\bat \w+ \(/

const ASKS_ENGINE = /^(containers\.|stacks\.|disk\.|servers\.|apps\.storage$|volumes\.)|^registries\.|^apps\.(?:lookAt|check)Image$/

/** Undefined for a 200, and for an error in the envelope that reveals no internals; otherwise what is wrong with the response. */
function complaintAbout(name: OperationName, { status, json, text }: RawAnswer): string | undefined {
  if (status === (operations[name].shape === 'redirect' ? 303 : 200)) return undefined
  const isElsewhere = (ASKS_ENGINE.test(name) && json.code === 'engine_unreachable') || json.code === 'git_host_unavailable'
  if ((status < 400 || status >= 500) && !isElsewhere) return `${status} ${text}`
  if (json.success !== false || typeof json.error !== 'string') return `no envelope: ${text}`
  if (ERRORS[json.code ?? 'internal'].status !== status) return `${status} is not the status of ${json.code}`
  return INSIDES.test(text) || text.includes(berth.dataDir) ? `it shows our insides: ${text}` : undefined
}

const ODD = fc.constantFrom<unknown>(
  '',
  ' ',
  '\u0000',
  '../../etc/passwd',
  '$(id)',
  "' or 1=1 --",
  '__proto__',
  'constructor',
  '<script>',
  '\u202e',
  'x'.repeat(5000),
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '9007199254740993',
  '-1',
  '1.0',
  true,
  null,
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  { length: 1 },
  ['a', 'a'],
)
const ANYTHING = fc.oneof(ODD, fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' }))

/** A valid input with some fields replaced, some left out, and some unknown ones added. */
function inputsFor(name: OperationName, valid: () => Record<string, unknown>): fc.Arbitrary<Record<string, unknown>> {
  const changed = fieldsOf(name).map((field) => fc.tuple(fc.constant(field.name), fc.option(ANYTHING, { nil: undefined }), fc.nat(2)))
  const extra = fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'role', 'created_by', 'isAdmin', 'id2'), ANYTHING)
  return fc.tuple(fc.tuple(...changed), extra).map(([changes, extras]) => {
    const input: Record<string, unknown> = { ...extras, ...valid() }
    for (const [field, value, choice] of changes) if (choice > 0) input[field] = value
    return input
  })
}

/** Skips operations that would end the test's own session or contact other servers. */
function isHarmless(name: OperationName, input: Record<string, unknown>): boolean {
  const { id, acmeEmail } = input
  if (name.startsWith('users.')) return id !== admin.id && id !== String(admin.id)
  return name !== 'settings.update' || typeof acmeEmail !== 'string' || !acmeEmail.includes('@')
}

/** Values that can be put into a URL: texts without lone surrogates, and everything else as JSON. */
function asText(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return typeof value === 'string' ? value.toWellFormed() : value
}

function sendable(name: OperationName, input: Record<string, unknown>): Record<string, unknown> {
  const sent = { ...input }
  for (const field of fieldsOf(name)) if (field.place !== 'body') sent[field.name] = asText(input[field.name])
  return sent
}

describe('any input at all', () => {
  it.each(WITH_INPUT)('%s answers 200 or says what is wrong', async (name) => {
    const own = await newSubject(berth, people)
    await fc.assert(
      fc.asyncProperty(
        inputsFor(name, () => validInput(name, own)),
        async (input) => {
          fc.pre(isHarmless(name, input))
          expect(complaintAbout(name, await send(name, sendable(name, input)))).toBeUndefined()
        },
      ),
      { numRuns: RUNS },
    )
  })

  const withBody = WITH_INPUT.filter((name) => 'body' in operations[name])
  it('any JSON as the whole body of any operation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withBody), fc.jsonValue(), async (name, value) => {
        const { method, path } = operations[name]
        expect(complaintAbout(name, await berth.raw(method, path, { cookie: admin.cookie, body: JSON.stringify(value) }))).toBeUndefined()
      }),
      { numRuns: 150 },
    )
  })

  it('and afterwards everything still works', async () => {
    expect((await people.owner.call('health')).checks.database).toBe('ok')
    const failures = berth
      .log()
      .split('\n')
      .filter((line) => line.includes('Request failed') && !/EngineUnreachable|git_host_unavailable/.test(line))
    expect(failures).toEqual([])
  })
})

describe('a field of the wrong type', () => {
  const wrong = { params: 'x', query: 'x'.repeat(600), body: { of: ['another', 'kind'] } }
  // To those without a signature a delivery is refused before anything of it is read.
  it.each(WITH_INPUT.filter((name) => !['signed webhook', 'deploy hook'].includes(operations[name].may)))(
    'is named by %s',
    async (name) => {
      for (const { name: field, place } of fieldsOf(name)) {
        const answer = await send(name, { ...validInput(name, subject), [field]: wrong[place] })
        expect([field, answer.status, answer.json.code]).toEqual([field, 400, 'invalid_request'])
        expect(answer.json.details?.map((problem) => problem.field)).toEqual([field])
        expect(answer.json.error).toContain(field)
      }
    },
  )

  it.each(WITH_INPUT)('and a missing one is named by %s', async (name) => {
    for (const { name: field } of fieldsOf(name).filter(({ isRequired, place }) => isRequired && place !== 'params')) {
      const answer = await send(name, { ...validInput(name, subject), [field]: undefined })
      expect([field, answer.status, answer.json.details?.[0]?.field]).toEqual([field, 400, field])
      expect(answer.json.error).toContain('is required')
    }
  })
})

describe('an id', () => {
  const withId = WITH_INPUT.filter((name) => fieldsOf(name).some(({ isLenient, isRequired }) => isLenient && isRequired))
  const ofPeople = withId.filter((name) => operations[name].may !== 'deploy hook') // there an unknown app is a wrong secret
  it.each(ofPeople)('that is no whole number of at least 1 is refused by %s', async (name) => {
    const id = fieldsOf(name).find(({ isLenient, isRequired }) => isLenient && isRequired)?.name ?? 'id'
    for (const value of ['1.5', '-1', '0', '9007199254740993', '1e3', '0x1', 'abc']) {
      const answer = await send(name, { ...validInput(name, subject), [id]: value })
      expect([value, answer.status, answer.json.details?.[0]?.field]).toEqual([value, 400, id])
    }
  })

  it('is taken as a number and as digits, and as nothing else', async () => {
    const ask = async (id: string) => await berth.raw('POST', '/api/apps/get/id', { cookie: admin.cookie, body: `{"appId":${id}}` })
    expect((await ask(String(subject.appId))).status).toBe(200)
    expect((await ask(`"${subject.appId}"`)).status).toBe(200)
    for (const id of ['1.5', '-1', '0', '9007199254740993', '1e400', 'true', 'null', '[]', `[${subject.appId}]`, '{}', '"1 "', '""', '"٣"'])
      expect([id, (await ask(id)).status]).toEqual([id, 400])
  })
})

describe('unknown fields', () => {
  const extras = {
    id: 4711,
    ownerId: 1,
    owner_id: 1,
    created_by: 1,
    createdBy: 1,
    project_id: 1,
    is_active: true,
    status: 'success',
    slug: 'mine',
    generated: true,
    app_id: 1,
    createdAt: '2000-01-01T00:00:00Z',
    password_hash: 'x',
  }
  const polluted = (fields: object) =>
    `{"__proto__":{"isAdmin":true,"role":"owner"},"constructor":{"prototype":{"polluted":1}},${JSON.stringify({ ...extras, ...fields }).slice(1)}`

  async function made(path: string, fields: object, cookie: string): Promise<Record<string, unknown>> {
    const answer = await berth.raw('POST', path, { cookie, body: polluted(fields) })
    expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)])
    return answer.json.data as Record<string, unknown> // an envelope with an object
  }

  it('change nothing at a creation', async () => {
    const { cookie, id } = people.member
    const project = await made('/api/projects/create', { name: 'Extras' }, cookie)
    expect(project).toMatchObject({ ownerId: id })
    expect(project['id']).not.toBe(4711)
    expect(project['createdAt']).not.toBe(extras.createdAt)
    const app = await made('/api/apps/create', { name: 'Extra', projectId: project['id'], status: undefined }, cookie)
    expect(app).toMatchObject({ created_by: id, project_id: project['id'], status: 'stopped', slug: 'extra' })
    const variable = await made('/api/apps/envs/create', { appId: app['id'], key: 'A', value: 'b' }, cookie)
    expect(variable).toMatchObject({ appId: app['id'], key: 'A', value: 'b' })
    const domain = await made('/api/apps/domains/create', { appId: app['id'], domain: 'extras.example.com' }, cookie)
    expect(domain).toMatchObject({ appId: app['id'], generated: false })
    const user = await made('/api/users/create', { email: 'extras@example.test', password: PASSWORD }, admin.cookie)
    expect(user).toMatchObject({ role: 'user' })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined() // any object shows a polluted prototype
  })

  it('change nothing at an update', async () => {
    const own = await newSubject(berth, people)
    const { call, cookie } = people['app owner']
    const before = await call('apps.get', { appId: own.appId })
    const { status: _status, ...withoutStatus } = extras
    const body = JSON.stringify({ ...withoutStatus, appId: own.appId, description: 'new', __proto__: { name: 'x' }, wanted: 'stopped' })
    const answer = await berth.raw('POST', '/api/apps/update', { cookie, body })
    expect(answer.json.data).toEqual({ ...before, description: 'new', updated_at: expect.any(String) })
  })
})

describe('a body', () => {
  const path = '/api/projects/create'
  const post = async (body: string | Buffer, type = 'application/json') =>
    await berth.raw('POST', path, { cookie: admin.cookie, body, headers: { 'content-type': type } })

  it.each(['{', '{"name":}', '{"name":"x"', 'undefined', "{'name':'x'}", '', '\u0000'])(
    'that is no JSON is invalid_json: %j',
    async (text) => {
      const answer = await post(text)
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid_json'])
    },
  )

  it('that has too many different names is refused with a sentence', async () => {
    const answer = await post(`{"projectId":1,"x":[${Array.from({ length: 5100 }, (_, n) => `{"a${n}":1}`).join()}]}`)
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_json', error: expect.stringContaining('too many parts') } })
  })

  it('that is too large is refused as body_too_large, and one of the largest size is read', async () => {
    const big = JSON.stringify({ name: 'x', description: 'y'.repeat(1024 * 1024) })
    expect((await post(big)).json.code).toBe('body_too_large')
    const fits = JSON.stringify({ name: 'x', ignored: 'y'.repeat(1024 * 1024 - 30) })
    expect((await post(fits)).status).toBe(200)
  })

  it('of a stranger has room for a login and for little more', async () => {
    const login = async (filler: number) =>
      await berth.raw('POST', '/api/auth/login', {
        body: JSON.stringify({ email: 'nobody@example.test', password: 'a-wrong-password', filler: 'y'.repeat(filler) }),
        headers: { 'content-type': 'application/json' },
      })
    expect((await login(15 * 1024)).json.code).toBe('wrong_credentials')
    expect((await login(17 * 1024)).json.code).toBe('body_too_large')
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonx', 'text/html'])(
    'of type %s is not_json',
    async (type) => {
      const answer = await post('{"name":"x"}', type)
      expect([answer.status, answer.json.code]).toEqual([415, 'not_json'])
    },
  )

  it('nested ten thousand deep hurts nobody', async () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    expect(complaintAbout('projects.create', await post(`{"name":"deep","tags":${deep}}`))).toBeUndefined()
    expect(complaintAbout('projects.create', await post('['.repeat(100_000)))).toBeUndefined()
    const inApp = await berth.raw('POST', '/api/apps/create', {
      cookie: admin.cookie,
      body: `{"name":"x","projectId":${subject.projectId},"envVars":${deep}}`,
    })
    expect(complaintAbout('apps.create', inApp)).toBeUndefined()
  })

  it('with a key twice counts the last one, like any JSON reader', async () => {
    expect((await post('{"name":"first","name":"last"}')).json.data).toMatchObject({ name: 'last' })
  })

  it('is read from bytes that are no UTF-8 without a crash', async () => {
    expect(complaintAbout('projects.create', await post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])))).toBeUndefined()
  })
})

describe('a query', () => {
  it('with a parameter given twice is refused', async () => {
    const answer = await berth.raw('GET', `/api/apps/container/logs?appId=${subject.appId}&appId=${subject.appId}`, {
      cookie: admin.cookie,
    })
    expect([answer.status, answer.json.details]).toEqual([400, [{ field: 'appId', message: 'must be given once' }]])
    expect((await berth.raw('GET', '/api/audit?action=a&action=b', { cookie: admin.cookie })).status).toBe(400)
  })

  it.each(['-1', '0', '1e9', 'abc', '10001', '1.5', ''])('with tail=%s is refused', async (tail) => {
    const answer = await berth.raw('GET', `/api/apps/container/logs?appId=${subject.appId}&tail=${tail}`, { cookie: admin.cookie })
    expect([answer.status, answer.json.details?.[0]?.field]).toEqual([400, 'tail'])
  })
})
