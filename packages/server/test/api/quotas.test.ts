import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/harness/start-test-server.ts'
import { insertDeployment } from '../../testing/harness/test-world.ts'
import { writeToDatabase } from '../../testing/harness/write-to-database.ts'

let berth: TestServer
let owner: Person
let n = 0

beforeAll(async () => {
  berth = await startTestServer()
  owner = await berth.owner()
})
afterAll(async () => await berth[Symbol.asyncDispose]())

async function newPerson(): Promise<Person> {
  n += 1
  return await berth.as(`person-${n}`)
}
async function newApp(person: Person): Promise<{ projectId: number; appId: number }> {
  const { id: projectId } = await person.call('projects.create', { name: 'Project' })
  const { id: appId } = await person.call('apps.create', { projectId, name: 'app' })
  return { projectId, appId }
}
/** Copies of a row that differ in these columns: `?` is the number of the copy. */
async function copy(table: string, id: number, count: number, columns: Record<string, string>): Promise<void> {
  await writeToDatabase(berth.dataDir, (file) => {
    const all = file.prepare<[], { name: string }>(`pragma table_info("${table}")`).all()
    const names = all.map(({ name }) => name).filter((name) => name !== 'id')
    const values = names.map((name) => columns[name] ?? `"${name}"`)
    const insert = file.prepare(
      `with given as (select ? as nth) insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')})
       select ${values.join(', ')} from "${table}", given where "${table}".id = ?`,
    )
    file.transaction(() => {
      for (let number = 1; number <= count; number += 1) insert.run(number, id)
    })()
  })
}
async function copyProject(id: number, count: number): Promise<void> {
  await copy('project', id, count, { slug: `slug || '-copy-' || given.nth` })
}
async function copyApp(id: number, count: number, projectId: number | string = 'project_id'): Promise<void> {
  await copy('app', id, count, {
    project_id: String(projectId),
    name: `name || '-copy-' || given.nth`,
    slug: `slug || '-copy-' || given.nth`,
  })
}
async function copyDomain(id: number, count: number, appId: number | string = 'app_id'): Promise<void> {
  await copy('domain', id, count, { app_id: String(appId), host: `given.nth || '-${appId}.' || host` })
}
it('a person can have 2,000 replicas in all projects together', async () => {
  const person = await newPerson()
  const { projectId, appId } = await newApp(person)
  await person.call('apps.update', { appId, replicas: 20 })
  await copyApp(appId, 99)
  await expect(person.call('apps.create', { projectId, name: 'one more', replicas: 2 })).rejects.toMatchObject({ code: 'invalid_request' })
  await person.call('apps.update', { appId, replicas: 1 })
  await expect(person.call('apps.update', { appId, replicas: 20 })).resolves.toMatchObject({ replicas: 20 })
})

/** What a release runs beside its main process. */
async function setProcesses(deploymentId: number, processes: readonly { name: string; replicas: number }[]): Promise<void> {
  const text = JSON.stringify(processes.map((each) => ({ ...each, command: 'x' })))
  await writeToDatabase(berth.dataDir, (file) => file.prepare('update deployment set processes = ? where id = ?').run(text, deploymentId))
}

it('processes that only the live release has, or that a rollback would bring back, count as replicas', async () => {
  const person = await newPerson()
  const { appId } = await newApp(person)
  await person.call('apps.update', { appId, replicas: 20 })
  await copyApp(appId, 98)
  await person.call('apps.update', { appId, replicas: 1 })
  const second = (replicas: number) => [{ name: 'second', command: 'x', replicas }]
  await holdLane(appId)
  const earlier = await insertDeployment(berth, { appId, number: 1, status: 'success', isActive: false, image: 'some/image' })
  const live = await insertDeployment(berth, { appId, number: 2, status: 'success', isActive: true, image: 'some/image2' })
  await setProcesses(live, [{ name: 'first', replicas: 20 }]) // with it there are 1,981
  const words = refused('can have at most 2000 replicas')
  await expect(person.call('apps.update', { appId, processes: second(20) })).rejects.toMatchObject(words)
  await person.call('apps.update', { appId, processes: second(19) })
  await setProcesses(earlier, [{ name: 'third', replicas: 1 }])
  await expect(person.call('deployments.rollback', { deploymentId: earlier })).rejects.toMatchObject(words)
  await setProcesses(earlier, [{ name: 'first', replicas: 20 }])
  await person.call('deployments.rollback', { deploymentId: earlier })
})

it('a volume stays shareable while the live release has other processes that write to it', async () => {
  const { projectId } = await newApp(owner)
  const volume = { name: 'data', path: '/data' }
  const shared = [{ ...volume, shareable: true }]
  const { id: appId } = await owner.call('apps.create', { projectId, name: 'writers', volumes: shared })
  await holdLane(appId)
  const live = await insertDeployment(berth, { appId, number: 1, status: 'success', isActive: true, image: 'some/image' })
  await setProcesses(live, [{ name: 'worker', replicas: 1 }])
  const withdraw = { appId, volumes: [volume] }
  const words = refused('must name worker with 0 replicas: the live release still runs it')
  await expect(owner.call('apps.update', withdraw)).rejects.toMatchObject(words)
  await expect(owner.call('apps.update', { ...withdraw, processes: [] })).rejects.toMatchObject(words)
  await owner.call('apps.update', { appId, processes: [{ name: 'worker', replicas: 0 }] })
  const restores = async () =>
    await writeToDatabase(berth.dataDir, (file) => {
      const taken = file.prepare(`delete from job where lane = ? and payload = ?`).run(`app:${appId}`, JSON.stringify({ appId }))
      return taken.changes
    })
  expect(await restores()).toBe(1)
  await owner.call('apps.update', withdraw)
  expect(await restores()).toBe(1)
  await owner.call('apps.update', { appId, description: 'other' })
  expect(await restores()).toBe(0)
})

/** A job that is due much later blocks the other jobs of this app. */
async function holdLane(appId: number): Promise<void> {
  await writeToDatabase(berth.dataDir, (file) =>
    file
      .prepare(
        `insert into job (name, payload, lane, run_at, attempts, created_at) values ('app.restore', '{"appId":0}', ?, '2100-01-01', 0, '')`,
      )
      .run(`app:${appId}`),
  )
}
const refused = (words: string) => ({ code: 'invalid_request', message: expect.stringContaining(words) })

it('a person can have at most 200 projects, and an admin 5,000', async () => {
  const person = await newPerson()
  const { id } = await person.call('projects.create', { name: 'Mine' })
  await copyProject(id, 198)
  await person.call('projects.create', { name: 'The last' })
  await expect(person.call('projects.create', { name: 'One more' })).rejects.toMatchObject(refused('can have at most 200 projects'))
  await person.call('projects.delete', { id })
  await person.call('projects.create', { name: 'Another' })
  const { id: ofOwner } = await owner.call('projects.create', { name: 'Theirs' })
  await copyProject(ofOwner, 250)
  await owner.call('projects.create', { name: 'One more' })
  await copyProject(ofOwner, 5000)
  await expect(owner.call('projects.create', { name: 'Another' })).rejects.toMatchObject(refused('can have at most 5000 projects'))
  await writeToDatabase(berth.dataDir, (file) => file.prepare(`delete from project where slug like '%-copy-%'`).run())
})

it('a server has 10,000 users and open invitations at most', async () => {
  const { id } = await owner.call('invitations.create', { email: `first${n}@example.test` })
  const people = (await owner.call('users.list')).length + (await owner.call('invitations.list')).length
  await copy('invitation', id, 9999 - people, { email: `given.nth || email`, token_hash: `given.nth || token_hash` })
  await owner.call('invitations.create', { email: `last${n}@example.test` })
  await expect(owner.call('invitations.create', { email: `more${n}@example.test` })).rejects.toMatchObject(
    refused('can have at most 10000 users and open invitations'),
  )
  const user = { email: `user${n}@example.test`, password: 'a-long-password-of-theirs' }
  await expect(owner.call('users.create', user)).rejects.toMatchObject(refused('can have at most 10000'))
  await writeToDatabase(berth.dataDir, (file) => file.prepare('delete from invitation').run())
  await owner.call('users.create', user)
})

it('a project has 500 apps at most, whoever it belongs to', async () => {
  const { projectId, appId } = await newApp(owner)
  await copyApp(appId, 498)
  const { id } = await owner.call('apps.create', { projectId, name: 'the last' })
  const more = async () => await owner.call('apps.create', { projectId, name: 'one more' })
  await expect(more()).rejects.toMatchObject(refused('can have at most 500 apps'))
  await owner.call('apps.delete', { appId: id })
  await more()
})

it('all projects of a person have 1,000 apps together at most, and those of others do not count', async () => {
  const person = await newPerson()
  const { appId } = await newApp(person)
  await copyApp(appId, 499)
  const { id: second } = await person.call('projects.create', { name: 'Second' })
  await copyApp(appId, 499, second)
  const { id: third } = await person.call('projects.create', { name: 'Third' })
  await person.call('apps.create', { projectId: third, name: 'the last' })
  const more = person.call('apps.create', { projectId: third, name: 'one more' })
  await expect(more).rejects.toMatchObject(refused('can have at most 1000 apps'))
  await newApp(await newPerson())
})

it('apps that are still being removed count as apps, and deleting is never refused', async () => {
  const person = await newPerson()
  const { appId, projectId } = await newApp(person)
  await holdLane(appId) // its removal waits
  await person.call('apps.delete', { appId })
  const [removal] = await writeToDatabase(berth.dataDir, (file) =>
    file.prepare<[string], { id: number }>(`select id from job where name = 'app.remove' and lane = ?`).all(`app:${appId}`),
  )
  await copy('job', removal?.id ?? 0, 997, { lane: `'app:' || (1000000 + given.nth)`, run_at: `'2100-01-01'` })
  const { id: second } = await person.call('apps.create', { projectId, name: 'second' })
  const { id: last } = await person.call('apps.create', { projectId, name: 'the last' })
  const more = async (who: Person, project: number) => await who.call('apps.create', { projectId: project, name: 'one more' })
  const words = 'can have at most 1000 apps, with the 998 deleted ones that are still being removed, and the limit is reached'
  await expect(more(person, projectId)).rejects.toMatchObject(refused(words))
  const other = await newPerson()
  const { projectId: ofOther } = await newApp(other)
  await more(other, ofOther)
  await other.call('projects.members', { id: ofOther, emails: [person.email] })
  for (const id of [second, last]) {
    await holdLane(id)
    await person.call('apps.delete', { appId: id })
  }
  await expect(person.call('apps.create', { projectId: ofOther, name: 'as a member' })).rejects.toMatchObject(
    refused('with the 1000 deleted'),
  )
  await writeToDatabase(berth.dataDir, (file) => file.prepare(`delete from job where name = 'app.remove' and run_at = '2100-01-01'`).run())
  await more(person, projectId)
})

it('all projects of a person have 200 compose apps together at most, and other apps beside them', async () => {
  const person = await newPerson()
  const { id: projectId } = await person.call('projects.create', { name: 'Project' })
  const compose = { projectId, name: 'compose', appType: 'compose' } as const
  const { id: appId } = await person.call('apps.create', compose)
  const { id: second } = await person.call('projects.create', { name: 'Second' })
  await copyApp(appId, 198, second)
  await person.call('apps.create', { ...compose, name: 'the last' })
  const more = async () => await person.call('apps.create', { ...compose, name: 'one more' })
  await expect(more()).rejects.toMatchObject(refused('can have at most 200 compose apps'))
  await person.call('apps.create', { projectId, name: 'web' })
  await person.call('apps.delete', { appId })
  await more()
})

it('an app has 200 domains at most, and all projects of a person 2,000', async () => {
  const person = await newPerson()
  const { projectId, appId } = await newApp(person)
  const { id } = await person.call('domains.create', { appId, domain: `x${n}.example.com` })
  await copyDomain(id, 198)
  await person.call('domains.create', { appId, domain: `last${n}.example.com` })
  const oneMore = { appId, domain: `more${n}.example.com` }
  await expect(person.call('domains.create', oneMore)).rejects.toMatchObject(refused('can have at most 200 domains'))
  for (let app = 1; app <= 9; app += 1) {
    const { id: other } = await person.call('apps.create', { projectId, name: `other ${app}` })
    await copyDomain(id, 200, other)
  }
  const { appId: elsewhere } = await newApp(person)
  const domain = `elsewhere${n}.example.com`
  await expect(person.call('domains.create', { appId: elsewhere, domain })).rejects.toMatchObject(refused('can have at most 2000 domains'))
  const { appId: ofOther } = await newApp(owner)
  await owner.call('domains.create', { appId: ofOther, domain })
})

it('a project has 500 members at most; one that has more already can lose some', async () => {
  const { id } = await owner.call('projects.create', { name: 'Many' })
  await writeToDatabase(berth.dataDir, (file) => {
    const at = new Date().toISOString()
    const insert = file.prepare(`insert into user (email, password_hash, role, created_at) values (?, 'none', 'user', ?)`)
    file.transaction(() => {
      for (let number = 0; number < 503; number += 1) insert.run(`many-${number}@example.test`, at)
    })()
  })
  const emails = (count: number) => Array.from({ length: count }, (_, index) => `many-${index}@example.test`)
  await expect(owner.call('projects.members', { id, emails: emails(500) })).rejects.toMatchObject(refused('can have at most 500 members'))
  expect((await owner.call('projects.members', { id, emails: emails(499) })).members).toHaveLength(500)
  await writeToDatabase(berth.dataDir, (file) =>
    file
      .prepare(
        `insert into project_member (project_id, user_id, added_at)
         select ?, id, created_at from user where email in ('many-500@example.test', 'many-501@example.test')`,
      )
      .run(id),
  )
  expect((await owner.call('projects.members', { id, emails: emails(500) })).members).toHaveLength(501)
})

it('at most 20 deployments of an app can wait or run', async () => {
  const { appId } = await newApp(owner)
  await holdLane(appId)
  const released = await insertDeployment(berth, { appId, number: 1, status: 'success', isActive: false, image: 'some/image' })
  await copy('deployment', released, 30, { number: 'number + given.nth' })
  await copy('deployment', released, 20, { number: '100 + given.nth', status: `'pending'`, finished_at: 'null' })
  const words = 'can have at most 20 deployments that have not ended'
  await expect(owner.call('deployments.create', { appId })).rejects.toMatchObject(refused(words))
  await expect(owner.call('deployments.add', { appId })).rejects.toMatchObject(refused(words))
  await expect(owner.call('deployments.rollback', { deploymentId: released })).rejects.toMatchObject(refused(words))
  const [waiting] = await owner.call('deployments.list', { appId })
  await owner.call('deployments.stop', { deploymentId: waiting?.id ?? 0 })
  await owner.call('deployments.create', { appId })
})

it('at most 500 deployments requested by one person can wait or run', async () => {
  const person = await newPerson()
  const { projectId } = await newApp(person)
  for (let app = 1; app <= 27; app += 1) {
    const { id } = await person.call('apps.create', { projectId, name: `app ${app}` })
    await holdLane(id)
    const first = await insertDeployment(berth, { appId: id, number: 1, status: 'pending', isActive: false, image: '' })
    await copy('deployment', first, 19, { number: 'number + given.nth', triggered_by: String(person.id) })
  }
  const { id: appId } = await person.call('apps.create', { projectId, name: 'one more' })
  await expect(person.call('deployments.create', { appId })).rejects.toMatchObject(
    refused('can have at most 500 deployments that have not ended'),
  )
  await owner.call('deployments.create', { appId })
})
