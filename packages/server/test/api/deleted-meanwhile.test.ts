import { expect, it } from 'vitest'
import { errorCode } from '../../src/lib/error-code.ts'
import { startTestServer } from '../../testing/harness/start-test-server.ts'
import { addHistories } from '../../testing/harness/stored-app.ts'
import { writeRows } from '../../testing/harness/write-rows.ts'

it('changes that wait while their project is deleted are refused as for one that does not exist', async () => {
  await using berth = await startTestServer()
  const person = await berth.as('person')
  const { id } = await person.call('projects.create', { name: 'Project' })
  const { id: appId } = await person.call('apps.create', { projectId: id, name: 'app' })
  await writeRows(berth, async (tx) => {
    const app = await tx.selectFrom('app').selectAll().where('id', '=', appId).executeTakeFirstOrThrow()
    await addHistories(tx, app, { apps: 100, deployments: 200 })
  })
  const codeOf = async (call: Promise<unknown>) => {
    const [outcome] = await Promise.allSettled([call])
    return outcome.status === 'fulfilled' ? 'done' : errorCode(outcome.reason)
  }
  const outcomes: Promise<string | undefined>[] = []
  let isDeleted = false
  const deletion = person.call('projects.delete', { id }).finally(() => void (isDeleted = true))
  const most = 20 // an account has a limit of connections
  for (let n = 0; n < most && !isDeleted; n += 1) {
    await person.call('auth.me', {}) // a turn of the server
    outcomes.push(
      codeOf(person.call('envs.create', { appId, key: `KEY_${n}`, value: 'some value' })),
      codeOf(person.call('domains.create', { appId, domain: `n${n}.example.test` })),
      codeOf(person.call('projects.members', { id, emails: [] })),
      codeOf(person.call('projects.delete', { id })),
    )
  }
  await deletion
  expect(new Set(await Promise.all(outcomes)).difference(new Set(['done']))).toEqual(new Set(['app_not_found', 'project_not_found']))
  await expect(person.call('projects.get', { id })).rejects.toMatchObject({ code: 'project_not_found' })
})
