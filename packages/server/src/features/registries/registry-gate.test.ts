import { expect, it } from 'vitest'
import { addApp } from '../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../testing/harness/test-database.ts'
import { createRegistryGate } from './registry-gate.ts'
import { insertRegistry, isAddedByStaff } from './store.ts'

const ADMIN = 1
const MEMBER = 2

function gateWith(given: { hasEngineFirewall?: boolean; privateHosts?: string[]; added?: string } = {}) {
  const { hasEngineFirewall = false, privateHosts = [], added } = given
  return createRegistryGate({
    hasEngineFirewall: () => hasEngineFirewall,
    privateHosts,
    isPrivileged: async (id) => id === ADMIN,
    isAddedByStaff: async (host) => host === added,
  })
}

it('where nothing limits the connections of the engine, members use only public registries, and those that an admin allowed', async () => {
  const { refuseHost, refuseImage } = gateWith()
  await expect(refuseHost('evil.example', MEMBER)).rejects.toThrow(
    'The registry evil.example is not allowed here. Nothing limits where the engine of this server connects to when a registry sends it elsewhere, so members only use docker.io, ghcr.io, quay.io, registry.gitlab.com, public.ecr.aws, mcr.microsoft.com, registry.k8s.io. An admin can allow this one: by saving credentials for it under Registries, or with BERTH_PRIVATE_SOURCES.',
  )
  for (const image of ['evil.example/a', 'ghcr.io.evil.example/a', 'GHCR.io/a/b', 'ghcr.io:444/a/b', 'localhost/a'])
    await expect(refuseImage(image, MEMBER)).rejects.toMatchObject({ kind: 'unauthorized' })
  await expect(refuseHost('evil.example', null)).rejects.toMatchObject({ kind: 'unauthorized' })
  for (const image of ['nginx', 'a/b', 'index.docker.io/a/b', 'ghcr.io/a/b:1']) await refuseImage(image, MEMBER)
  await refuseHost('evil.example', ADMIN)
  await gateWith({ hasEngineFirewall: true }).refuseHost('evil.example', MEMBER)
  await gateWith({ privateHosts: ['registry.example'] }).refuseHost('registry.example:5000', MEMBER)
  await gateWith({ added: 'registry.example' }).refuseHost('registry.example', MEMBER)
})

it('who named the image counts, also where the credentials of a person do not', async () => {
  const { refuseFor } = gateWith()
  await expect(refuseFor('a.example', { projectId: 7, personId: null })).rejects.toThrow('a.example')
  await expect(refuseFor('a.example', { projectId: 7, personId: ADMIN, namedBy: MEMBER })).rejects.toThrow('a.example')
  await refuseFor('a.example', { projectId: 7, personId: null, namedBy: ADMIN })
  await refuseFor('a.example', { projectId: 7, personId: ADMIN })
})

it('a registry counts as added by an admin for as long as its author is one', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const { project_id } = await addApp(db, 'a@example.test')
  const author = await db.selectFrom('user').select('id').executeTakeFirstOrThrow()
  const row = {
    host: 'a.example',
    username: 'u',
    sealed_password: '',
    user_id: null,
    project_id,
    error: '',
    created_at: '',
    updated_at: '',
  }
  await db.transaction(async (tx) => await insertRegistry(tx, { ...row, created_by: author.id }))
  const roles: boolean[] = []
  for (const role of ['admin', 'user', 'owner'] as const) {
    await db.transaction(async (tx) => await tx.updateTable('user').set({ role }).where('id', '=', author.id).execute())
    roles.push(await isAddedByStaff(db, 'a.example'), await isAddedByStaff(db, 'b.example'))
  }
  expect(roles).toEqual([true, false, false, false, true, false])
})
