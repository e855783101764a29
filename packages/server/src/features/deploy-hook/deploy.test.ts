import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { PLATFORM } from '../../domain/audit.ts'
import { enqueue } from '../../domain/job-names.ts'
import { type AppRow, insertMember } from '../../domain/rows.ts'
import { claimJob } from '../../queue/queue-store.ts'
import { createAddAutomatic } from '../deployments/request/automatic.ts'
import { createDeployByHook } from './deploy.ts'

const AT = new Date('2026-01-01T00:00:00Z')
const SLOTS = 2

/** Mallory, who has two apps, is a member of Ada's project and has made the hook of the app in it. */
async function openLab() {
  const test = await openTestDatabase()
  const { db } = test
  const addAutomatic = createAddAutomatic({ now: () => AT })
  const [own, ofAda, ofVictim] = [await addApp(db, 'mallory@x.test'), await addApp(db, 'ada@x.test'), await addApp(db, 'victim@x.test')]
  const mallory = own.created_by
  await db.transaction(async (tx) => {
    await insertMember(tx, { projectId: ofAda.project_id, userId: mallory, at: AT })
    await tx.updateTable('app').set({ hook_hash: 'aa', hook_by: mallory }).where('id', '=', ofAda.id).execute()
  })
  const hooked: AppRow = { ...ofAda, hook_hash: 'aa', hook_by: mallory }
  const deployByHook = createDeployByHook({
    db,
    addAutomatic,
    newestCommit: async () => undefined,
    newestCommitOfBranch: async () => undefined,
    wasDeployed: async () => false,
    isWithinRate: () => true,
  })
  const add = async (appId: number, by: number) =>
    await db.transaction(async (tx) => await enqueue(tx, 'deployment.run', { appId, deploymentId: 0 }, { by, at: AT }))
  const claim = async () =>
    await db.transaction(async (tx) => {
      const leaseUntil = new Date(AT.getTime() + 30_000)
      return (await claimJob(tx, { worker: 'w', at: AT, leaseUntil, slots: SLOTS }))?.lane
    })
  return {
    db,
    addAutomatic,
    ofAda: hooked,
    mallory,
    callHook: async () => await deployByHook(hooked, {}, PLATFORM.origin),
    /** All slots are taken by two apps of Mallory. */
    takeSlots: async () => {
      for (const appId of [1001, 1002]) await add(appId, mallory)
      return [await claim(), await claim()]
    },
    addOfVictim: async () => await add(ofVictim.id, ofVictim.created_by),
    laneOfVictim: `app:${ofVictim.id}`,
    claim,
    [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose](),
  }
}

it('whoever fills the slots does not take the extra one too with a deploy hook in the project of somebody else', async () => {
  await using lab = await openLab()
  expect(await lab.takeSlots()).toEqual(['app:1001', 'app:1002'])
  await lab.callHook()
  await lab.addOfVictim()
  expect([await lab.claim(), await lab.claim()]).toEqual([lab.laneOfVictim, undefined])
})

it('nor with pushes to a repository that they chose for an app in it', async () => {
  await using lab = await openLab()
  const { db, ofAda, mallory } = lab
  await lab.takeSlots()
  const app = { ...ofAda, source_set_by: mallory }
  await db.transaction(
    async (tx) => await lab.addAutomatic(tx, { app, trigger: 'webhook', commit: { hash: 'a'.repeat(40), message: '', author: '' } }),
  )
  await lab.addOfVictim()
  expect([await lab.claim(), await lab.claim()]).toEqual([lab.laneOfVictim, undefined])
})

it('what nobody asked for counts for the owner of the project once that person has left, whoever the app was given to', async () => {
  await using lab = await openLab()
  const { db, ofAda, mallory } = lab
  const app = { ...ofAda, source_set_by: mallory, created_by: mallory }
  await db.transaction(async (tx) => {
    await tx.deleteFrom('project_member').where('user_id', '=', mallory).execute()
    await lab.addAutomatic(tx, { app, trigger: 'poll', commit: { hash: 'a'.repeat(40), message: '', author: '' } })
  })
  expect(await db.selectFrom('job').select('tenant').execute()).toEqual([{ tenant: `user:${ofAda.created_by}` }])
})
