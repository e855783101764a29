import { type Operation, operations } from '@berth/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWNER, type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { dumpDatabase } from '../../testing/harness/test-world.ts'

let berth: TestServer
let owner: Person
let person: Person // owns a project and has no special role on the platform
let stranger: Person
let member: Person
let projectId: number
let appId: number

beforeAll(async () => {
  berth = await startTestServer()
  owner = await berth.owner()
  person = await berth.as('person')
  stranger = await berth.as('stranger')
  member = await berth.as('member')
  projectId = (await person.call('projects.create', { name: 'Mine' })).id
  await person.call('projects.members', { id: projectId, emails: [member.email] })
  appId = (await person.call('apps.create', { projectId, name: 'app' })).id
})
afterAll(async () => await berth[Symbol.asyncDispose]())

const UNKNOWN_ID = 987_654_321
const setMembers = async (who: Person, input: { userIds?: number[]; emails?: string[] }) =>
  await berth.raw('PUT', '/api/projects/members', { cookie: who.cookie, body: { id: projectId, ...input } })
const transfer = async (who: Person, userId: number) =>
  await berth.raw('POST', '/api/apps/transfer', { cookie: who.cookie, body: { appId, userId } })

describe('somebody who only owns a project', () => {
  it('learns nothing about people by their ids: a foreign id is answered as an unknown one, and nobody is added', async () => {
    const before = await dumpDatabase(berth)
    const unknown = await setMembers(person, { userIds: [UNKNOWN_ID] })
    expect([unknown.status, unknown.json.code]).toEqual([404, 'user_not_found'])
    for (const userIds of [[stranger.id], [owner.id], [member.id, stranger.id], [person.id, stranger.id, UNKNOWN_ID]])
      for (const emails of [undefined, [member.email]]) {
        const { status, text } = await setMembers(person, { userIds, ...(emails && { emails }) })
        expect([userIds, status, text]).toEqual([userIds, unknown.status, unknown.text])
      }
    expect(await dumpDatabase(berth)).toEqual(before)
  })

  it('adds people by email, keeps and removes members by id, and cannot add a removed member by id', async () => {
    const ids = async (input: { userIds?: number[]; emails?: string[] }) =>
      (await person.call('projects.members', { id: projectId, ...input })).members.map(({ id }) => id)
    const sorted = (...people: Person[]) => people.map(({ id }) => id).toSorted((a, b) => a - b)
    expect(await ids({ userIds: [member.id], emails: [stranger.email] })).toEqual(sorted(person, stranger, member))
    expect(await ids({ userIds: [person.id, member.id] })).toEqual(sorted(person, member))
    await expect(ids({ userIds: [member.id, stranger.id] })).rejects.toMatchObject({ code: 'user_not_found' })
    expect(await ids({ userIds: [member.id] })).toEqual(sorted(person, member))
  })

  it('hands an app only to those who can see it; anybody else is as unknown as nobody', async () => {
    const unknown = await transfer(person, UNKNOWN_ID)
    expect([unknown.status, unknown.json.code]).toEqual([404, 'user_not_found'])
    const foreign = await transfer(person, stranger.id)
    expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text])
    await expect(stranger.call('apps.get', { appId })).rejects.toMatchObject({ code: 'app_not_found' })
    const handed = await person.call('apps.transfer', { appId, userId: member.id })
    expect(handed.created_by).toBe(member.id)
    expect((await member.call('apps.transfer', { appId, userId: owner.id })).created_by).toBe(owner.id)
    expect((await person.call('apps.transfer', { appId, userId: person.id })).created_by).toBe(person.id)
  })
})

it('a member can leave a project, and its owner cannot', async () => {
  const { id } = await person.call('projects.create', { name: 'To leave' })
  const { id: own } = await person.call('apps.create', { projectId: id, name: 'app' })
  await person.call('projects.members', { id, emails: [stranger.email, member.email] })
  await using events = await berth.connect('events', { cookie: stranger.cookie })
  expect(await stranger.call('projects.leave', { id })).toEqual({ id })
  await events.waitFor(({ type }) => type === 'project.members_changed')
  await expect(stranger.call('projects.leave', { id })).rejects.toMatchObject({ code: 'project_not_found' })
  await expect(stranger.call('projects.get', { id })).rejects.toMatchObject({ code: 'project_not_found' })
  await expect(stranger.call('apps.get', { appId: own })).rejects.toMatchObject({ code: 'app_not_found' })
  await expect(person.call('projects.leave', { id })).rejects.toThrow('The owner of a project is always a member of it.')
  await expect(owner.call('projects.leave', { id }), 'sees all projects').rejects.toThrow('You are not a member of this project.')
  const { members } = await person.call('projects.get', { id })
  expect(members.map(({ email }) => email)).toEqual([person.email, member.email])
  const [line] = (await owner.call('audit.list', {})).filter(({ action }) => action === 'project.leave')
  expect(line).toMatchObject({ subjectId: id, actorEmail: stranger.email, before: { name: 'To leave' } })
})

it('admins and owners, who can list all users, may name everybody by id', async () => {
  const admin = await berth.as('admin', 'admin')
  const project = await admin.call('projects.create', { name: 'Theirs' })
  const { members } = await admin.call('projects.members', { id: project.id, userIds: [stranger.id] })
  expect(members.map(({ email }) => email)).toContain(stranger.email)
  const app = await admin.call('apps.create', { projectId: project.id, name: 'app' })
  const newcomer = await berth.as('newcomer')
  expect((await owner.call('apps.transfer', { appId: app.id, userId: newcomer.id })).created_by).toBe(newcomer.id)
  expect((await newcomer.call('apps.get', { appId: app.id })).id).toBe(app.id)
  expect((await setMembers(admin, { userIds: [UNKNOWN_ID] })).json.code).toBe('user_not_found')
  expect((await setMembers(admin, { emails: [OWNER.email, 'nobody@example.test'] })).json.code).toBe('user_not_found')
})

it('no other operation that is open to plain users takes the id of a person', () => {
  const takesPerson = (line: Operation) =>
    [line.params, line.query, line.body].some((schema) =>
      Object.keys(schema?.properties ?? {}).some((field) => /user(?!name)|actor|owner|member/i.test(field)),
    )
  const names = Object.entries<Operation>(operations).filter(
    ([, line]) => takesPerson(line) && line.may !== 'admin' && line.may !== 'owner',
  )
  expect(names.map(([name]) => name)).toEqual(['projects.members', 'apps.transfer'])
})
