import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { dumpDatabase } from '../../testing/harness/test-world.ts'
import { until } from '../../testing/labs/deploy-lab.ts'

const GUESS = 'a-wrong-guess'
/** The total delay of ten failures in a row: none for the first five, then 100, 200, 400, 800 and 1,600 ms. */
const TEN_TAKE_MS = 3000

async function logIn(berth: TestServer, email: string, options: { password: string; from?: string }): Promise<number> {
  const headers = options.from === undefined ? {} : { 'x-forwarded-for': options.from }
  return (await berth.raw('POST', '/api/auth/login', { body: { email, password: options.password }, headers })).status
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

describe('wrong passwords for one account', () => {
  let berth: TestServer
  beforeAll(async () => {
    berth = await startTestServer()
  })
  afterAll(async () => await berth[Symbol.asyncDispose]())

  it.each(['known@example.test', 'unknown@example.test'])(
    'take as long at once as in a row, wherever they come from: %s',
    async (email) => {
      await berth.as('known')
      const guess = async (_: unknown, n: number) => await logIn(berth, email, { password: GUESS, from: `203.0.113.${n}` })
      const ms = await msOf(async () => {
        expect(new Set(await Promise.all(Array.from({ length: 10 }, guess)))).toEqual(new Set([401]))
      })
      expect(ms).toBeGreaterThan(TEN_TAKE_MS)
    },
  )

  it('are counted together, whether they are tried as a login or as the current password of a session', async () => {
    const person = await berth.as('changer')
    const change = { currentPassword: GUESS, newPassword: 'another-password' }
    const attempt = async (_: unknown, n: number) =>
      n % 2 === 0
        ? await logIn(berth, person.email, { password: GUESS })
        : (await berth.raw('POST', '/api/auth/password', { cookie: person.cookie, body: change })).status
    const ms = await msOf(async () => {
      expect(await Promise.all(Array.from({ length: 10 }, attempt))).toEqual([401, 403, 401, 403, 401, 403, 401, 403, 401, 403])
    })
    expect(ms).toBeGreaterThan(TEN_TAKE_MS)
    await person.call('auth.password', { ...change, currentPassword: PASSWORD }) // slowed, and not refused
  })
})

describe('a flood of guesses', () => {
  const SIZE = 40

  /** Far more than can be checked while a test runs: the first ten take three seconds, and each later one three more. */
  async function flood(berth: TestServer, email: string) {
    const answers: number[] = []
    for (let n = 0; n < SIZE; n += 1)
      logIn(berth, email, { password: GUESS, from: `203.0.113.${n}` }).then(
        (status) => answers.push(status),
        () => undefined, // still waiting when the server ends
      )
    await until(
      () => answers.length,
      (count) => count >= 6,
    )
    return answers
  }

  it('does not delay the owner of the account where they have logged in before, also after a restart', async () => {
    await using berth = await startTestServer()
    const { email } = await berth.as('victim')
    await berth.restart()
    const answers = await flood(berth, email)
    expect(await logIn(berth, email, { password: PASSWORD })).toBe(200)
    expect(answers.length).toBeLessThan(SIZE / 2)
  })

  it('does not keep out the right password from a new address: what comes later is judged first', async () => {
    await using berth = await startTestServer()
    const { email } = await berth.as('victim')
    const answers = await flood(berth, email)
    expect(await logIn(berth, email, { password: PASSWORD, from: '198.51.100.1' })).toBe(200)
    expect(answers.length).toBeLessThan(SIZE / 2)
  })

  it('does not hold up other accounts', async () => {
    await using berth = await startTestServer()
    const { email } = await berth.as('bystander')
    const answers = await flood(berth, (await berth.as('victim')).email)
    expect(await logIn(berth, email, { password: PASSWORD, from: '198.51.100.1' })).toBe(200)
    expect(answers.length).toBeLessThan(SIZE / 2)
  })
})

describe('the audit log', () => {
  let berth: TestServer
  let owner: Person
  beforeAll(async () => {
    berth = await startTestServer()
    owner = await berth.owner()
  })
  afterAll(async () => await berth[Symbol.asyncDispose]())

  const linesOf = async (action: string) => (await owner.call('audit.list', { action })).toReversed()
  const lines = async (action: string, count: number) =>
    await until(
      async () => await linesOf(action),
      (list) => list.length >= count,
    )

  it('has failed logins with their address: the first of an account at once, the rest as one line with their number', async () => {
    const { id, email } = await berth.as('guessed')
    await logIn(berth, email, { password: GUESS, from: '203.0.113.1' })
    expect(await lines('session.login_failed', 1)).toMatchObject([
      {
        actorId: null,
        actorEmail: '',
        subject: 'user',
        subjectId: id,
        address: '203.0.113.1',
        after: { email, tries: 1, addresses: ['203.0.113.1'] },
      },
    ])
    for (let n = 2; n < 5; n += 1) await logIn(berth, email, { password: GUESS, from: `203.0.113.${n}` })
    await berth.restart() // what was counted is written at the end, too
    const [, rest, ...more] = await lines('session.login_failed', 2)
    expect(rest).toMatchObject({ subjectId: id, after: { email, tries: 3, addresses: ['203.0.113.2', '203.0.113.3', '203.0.113.4'] } })
    expect(more).toEqual([])
  })

  it('has one line for all unknown emails, and not what was typed', async () => {
    const before = (await linesOf('session.login_failed')).length
    for (let n = 0; n < 6; n += 1) await logIn(berth, `typed-by-mistake-${n}@example.test`, { password: GUESS, from: '203.0.113.9' })
    await lines('session.login_failed', before + 1)
    await berth.restart()
    const fresh = (await lines('session.login_failed', before + 2)).slice(before)
    expect(fresh).toMatchObject([
      { subjectId: null, address: '203.0.113.9', after: { email: null, tries: 1 } },
      { subjectId: null, address: '203.0.113.9', after: { email: null, tries: 5 } },
    ])
    expect(fresh).toHaveLength(2)
    expect(JSON.stringify(await dumpDatabase(berth))).not.toMatch(/typed-by-mistake|a-wrong-guess/)
  })

  it('has a wrong current password, with the person who was signed in', async () => {
    const person = await berth.as('mistaken')
    const change = { currentPassword: GUESS, newPassword: 'another-password' }
    await expect(person.call('auth.password', change)).rejects.toMatchObject({ code: 'not_allowed' })
    expect(await lines('user.password_failed', 1)).toMatchObject([{ actorId: person.id, subjectId: person.id, after: { tries: 1 } }])
  })
})
