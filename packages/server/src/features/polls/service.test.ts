import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type GitServer, PROGRAM_PATH, startGitServer } from '../../../testing/harness/git-server.ts'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import type { AppRow } from '../../domain/rows.ts'
import { createGit } from '../../git/git.ts'
import { createSourcePolicy } from '../../git/source-policy.ts'
import { createLimiter, type Limiter } from '../../lib/limiter.ts'
import { createAddAutomatic } from '../deployments/request/automatic.ts'
import { insertDeployment } from '../deployments/store.ts'
import { createPolls } from './service.ts'
import { listDue, savePoll } from './store.ts'

const EVERY_MS = 300_000
let git: GitServer
let scratch: string
let database: Awaited<ReturnType<typeof openTestDatabase>>
let at = new Date('2026-01-01T00:00:00Z')
let n = 0
let digest = `sha256:${'a'.repeat(64)}`

beforeAll(async () => {
  git = await startGitServer()
  scratch = await mkdtemp(join(tmpdir(), 'berth-polls-'))
  database = await openTestDatabase({ now: () => at })
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await git[Symbol.asyncDispose]()
  await rm(scratch, { recursive: true, force: true })
})
beforeEach(async () => await database.db.transaction(async (tx) => void (await tx.deleteFrom('app').execute())))

function polls(limiter: Limiter = createLimiter({ running: 2, runningPerKey: 1, waiting: 100, waitingPerKey: 100, waitMs: 60_000 })) {
  const { db } = database
  const policy = createSourcePolicy({ privateHosts: [], ownPorts: async () => [] })
  return createPolls({
    db,
    git: createGit({ policy, scratch, path: PROGRAM_PATH, retryAfterMs: [] }),
    sourceOf: async (app) => ({ url: app.git_clone_url, privileged: true }),
    digestOf: async () => digest,
    addAutomatic: createAddAutomatic({ now: () => at }),
    limiter,
    everyMs: EVERY_MS,
    random: () => 0.5,
    log: { warn: (...words: unknown[]) => expect(words).toBe('nothing to warn of') },
    now: () => at,
  })
}
const newRepository = async () => await git.createRepository({ files: { Dockerfile: 'FROM scratch' } })

async function newApp(url: string, more: Partial<AppRow> = {}): Promise<AppRow> {
  const app = await addApp(database.db, `p${(n += 1)}@example.test`, at)
  await change(app.id, { git_clone_url: url, git_branch: 'main', ...more })
  return { ...app, git_clone_url: url, git_branch: 'main', ...more }
}
async function change(id: number, values: Partial<AppRow>): Promise<void> {
  await database.db.transaction(async (tx) => void (await tx.updateTable('app').set(values).where('id', '=', id).execute()))
}
async function deploy(app: AppRow, hash: string): Promise<void> {
  const commit = { hash, message: '', author: '' }
  await database.db.transaction(async (tx) => void (await insertDeployment(tx, { app, trigger: 'manual', triggeredBy: null, commit, at })))
}
async function lookLater(): Promise<void> {
  at = new Date(at.getTime() + EVERY_MS * 1.1)
  await polls().lookAtDue(new AbortController().signal)
}
async function polled({ id }: AppRow): Promise<string[]> {
  const rows = database.db.selectFrom('deployment').select('commit_hash').where('app_id', '=', id).where('trigger', '=', 'poll')
  return (await rows.orderBy('id').execute()).map(({ commit_hash }) => commit_hash)
}

it('a new commit without a webhook is deployed once, and a known one is not', async () => {
  const repo = await newRepository()
  const app = await newApp(repo.url)
  await polls().lookAtDue(new AbortController().signal)
  expect(await database.db.selectFrom('source_poll').selectAll().execute()).toEqual([]) // it was just created
  await deploy(app, repo.hash)
  await lookLater()
  expect(await polled(app)).toEqual([])
  const second = await repo.commit({ files: { a: '2' } })
  await polls().lookAtDue(new AbortController().signal)
  expect(await polled(app)).toEqual([]) // not due yet
  await lookLater()
  await lookLater()
  expect(await polled(app)).toEqual([second])
  const third = await repo.commit({ files: { a: '3' } })
  await deploy(app, third)
  await lookLater()
  expect(await polled(app)).toEqual([second])
})

it('a push before the first poll is found, and an app that was never deployed waits for its first deployment', async () => {
  const repo = await newRepository()
  const [early, fresh] = [await newApp(repo.url), await newApp(repo.url)]
  await deploy(early, repo.hash)
  const second = await repo.commit({ files: { a: '2' } })
  await lookLater()
  expect([await polled(early), await polled(fresh)]).toEqual([[second], []])
})

it('switching the branch deploys nothing, but its next commit is deployed', async () => {
  const repo = await newRepository()
  const app = await newApp(repo.url)
  await deploy(app, repo.hash)
  await lookLater()
  await repo.commit({ files: { a: 'next' }, branch: 'next' })
  await change(app.id, { git_branch: 'next' })
  await lookLater()
  expect(await polled(app)).toEqual([])
  const newer = await repo.commit({ files: { a: 'newer' }, branch: 'next' })
  await lookLater()
  expect(await polled(app)).toEqual([newer])
})

it('a source that does not respond is polled less and less often, and an app whose deployment is queued is skipped', async () => {
  const repo = await newRepository()
  const [gone, waiting] = [await newApp(`${git.origin}/nowhere.git`), await newApp(repo.url)]
  await deploy(waiting, '') // whichever commit it has at its turn
  await lookLater()
  await lookLater()
  const rows = await database.db.selectFrom('source_poll').selectAll().where('app_id', '=', gone.id).execute()
  expect(rows).toMatchObject([{ failures: 1, commit_hash: '' }]) // the second poll was not due
  await lookLater()
  expect(await database.db.selectFrom('source_poll').select('failures').where('app_id', '=', gone.id).execute()).toEqual([{ failures: 2 }])
  expect(await polled(waiting)).toEqual([])
})

it('the setting decides, and without it whether a webhook works', async () => {
  const repo = await newRepository()
  const { db } = database
  const at0 = at.toISOString()
  const accountId = await db.transaction(async (tx) => {
    const owner = await tx.selectFrom('user').select('id').limit(1).executeTakeFirstOrThrow()
    const texts = {
      name: '',
      base_url: '',
      login: '',
      host_id: '',
      sealed_token: '',
      sealed_secret: '',
      error: '',
      created_at: at0,
      updated_at: at0,
    }
    const account = {
      ...texts,
      provider: 'github',
      via: 'token',
      user_id: owner.id,
      project_id: null,
      created_by: null,
      status: 'ok',
    } as const
    const { id } = await tx.insertInto('git_account').values(account).returning('id').executeTakeFirstOrThrow()
    const hook = { repository: '', url: '', failures: 0, next_try_at: at0, account_id: id, sealed_secret: '' }
    await tx
      .insertInto('git_hook')
      .values({ ...hook, repository_id: 'works', hook_id: '1', error: '' })
      .execute()
    await tx
      .insertInto('git_hook')
      .values({ ...hook, repository_id: 'fails', hook_id: '', error: 'No permission.' })
      .execute()
    return id
  })
  const cases: [Partial<AppRow>, boolean][] = [
    [{}, true],
    [{ poll_source: 0 }, false],
    [{ auto_deploy: 0 }, false],
    [{ auto_deploy: 0, poll_source: 1 }, false],
    [{ wanted: 'stopped' }, false],
    [{ app_type: 'database' }, false],
    [{ git_provider_id: accountId, git_repository_id: 'works' }, false],
    [{ git_provider_id: accountId, git_repository_id: 'works', poll_source: 1 }, true],
    [{ git_provider_id: accountId, git_repository_id: 'fails' }, true],
  ]
  const apps: AppRow[] = []
  for (const [more] of cases) apps.push(await newApp(repo.url, more))
  await lookLater()
  const looked = new Set((await db.selectFrom('source_poll').select('app_id').execute()).map(({ app_id }) => app_id))
  expect(apps.map(({ id }) => looked.has(id))).toEqual(cases.map(([, is]) => is))
})

it('a commit that a webhook told of is known on that branch alone', async () => {
  const repo = await newRepository()
  const app = await newApp(repo.url)
  await deploy(app, repo.hash)
  await lookLater()
  const told = async (branch: string, hash: string) =>
    await database.db.transaction(async (tx) => {
      const texts = { name: '', base_url: '', login: '', host_id: '', sealed_token: '', sealed_secret: '', error: '' }
      const times = { created_at: at.toISOString(), updated_at: at.toISOString() }
      const owned = { user_id: app.created_by, project_id: null, created_by: null }
      const account = { ...texts, ...times, ...owned, provider: 'github', via: 'token', status: 'ok' } as const
      const { id: account_id } = await tx.insertInto('git_account').values(account).returning('id').executeTakeFirstOrThrow()
      const words = { event: 'push', repository: '', reason: '', headers: '{}', push: '', repository_id: '', before_hash: '' }
      const row = { ...words, account_id, delivery: hash, provider: 'github', branch, commit_hash: hash, result: 'ignored' } as const
      const rest = { body: Buffer.alloc(0), pushed_at: '', fingerprint: hash, is_late: 0, received_at: at.toISOString() }
      const kept = await tx
        .insertInto('git_delivery')
        .values({ ...row, ...rest })
        .returning('id')
        .executeTakeFirstOrThrow()
      await tx
        .insertInto('git_delivery_app')
        .values({ delivery_id: kept.id, app_id: app.id, deployment_id: null, reason: 'skipped' })
        .execute()
    })
  const skipped = await repo.commit({ files: { a: 'skipped' } })
  await told('main', skipped)
  await lookLater()
  expect(await polled(app)).toEqual([])
  const merged = await repo.commit({ files: { a: 'merged' } })
  await told('next', merged) // and that main is at it too got lost
  await lookLater()
  expect(await polled(app)).toEqual([merged])
})

it('a tag that moved is deployed once where the switch is on, and no registry is asked without it', async () => {
  const image = { git_branch: '', builder: 'image', image: 'ghcr.io/owner/web:1', created_at: at.toISOString() } as const
  const [on, silent] = [await newApp('', { ...image, poll_source: 1 }), await newApp('', image)]
  for (const app of [on, silent]) await deploy(app, '')
  const ended = async (ref: string) =>
    await database.db.transaction(
      async (tx) => void (await tx.updateTable('deployment').set({ image_ref: ref, finished_at: at.toISOString() }).execute()),
    )
  await ended(`ghcr.io/owner/web:1@${digest}`)
  await lookLater()
  expect([await polled(on), await polled(silent)]).toEqual([[], []])
  digest = `sha256:${'b'.repeat(64)}`
  await lookLater()
  await lookLater()
  expect([await polled(on), await polled(silent)]).toEqual([[''], []])
})

it('of a person with more apps than are polled at once, one that was never polled comes first', async () => {
  const apps: AppRow[] = []
  for (let count = 0; count < 3; count += 1) apps.push(await newApp('https://git.example.test/r.git'))
  const [first] = apps
  await database.db.transaction(async (tx) => {
    const projects = apps.map(({ project_id }) => project_id)
    await tx
      .updateTable('project')
      .set({ owner_id: first?.created_by ?? 0 })
      .where('id', 'in', projects)
      .execute()
  })
  const next_at = at.toISOString()
  await database.db.transaction(async (tx) => {
    for (const { id } of apps.slice(0, 2)) await savePoll(tx, { app_id: id, source: '', commit_hash: '', failures: 0, next_at })
  })
  const due = await listDue(database.db, { now: new Date(at.getTime() + 1000), firstAfterMs: 0, mostOfPerson: 2 })
  expect(due.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([first?.id, apps[2]?.id])
})

it('looks take the turn of the owner of the project, whoever the app was given to', async () => {
  const repository = await newRepository()
  const app = await newApp(repository.url)
  const { created_by: heir } = await newApp('')
  await change(app.id, { created_by: heir })
  const keys: (string | number)[] = []
  const run: Limiter['run'] = async (key, work) => {
    keys.push(key)
    return await work()
  }
  at = new Date(at.getTime() + EVERY_MS * 1.1)
  await polls({ run }).lookAtDue(new AbortController().signal)
  expect(keys).toEqual([app.created_by])
})
