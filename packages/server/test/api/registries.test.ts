import { expect, it } from 'vitest'
import { startTestServer } from '../../testing/harness/start-test-server.ts'

// The test server has no packet rules around the engine (BERTH_PROVISION=off), and no engine either: who gets past Berth is told so.

it('members use public registries and those that an admin allowed, where nothing limits where a registry sends the engine', async () => {
  await using berth = await startTestServer({ env: { BERTH_PRIVATE_SOURCES: 'allowed.example' } })
  const [owner, member] = [await berth.owner(), await berth.as('member')]
  const { id: projectId } = await member.call('projects.create', { name: 'Project' })
  const saved = (host: string) => ({ host, username: 'u', password: 'a-password', projectId })
  const refused = {
    code: 'registry_refused',
    message: expect.stringMatching(/The registry evil\.example is not allowed here\. .*BERTH_PRIVATE_SOURCES\./),
  }
  await expect(member.call('registries.create', saved('evil.example'))).rejects.toMatchObject(refused)
  for (const host of ['ghcr.io', 'docker.io', 'allowed.example'])
    await expect(member.call('registries.create', saved(host))).rejects.toMatchObject({ code: 'engine_unreachable' })
  await expect(owner.call('registries.create', saved('evil.example'))).rejects.toMatchObject({ code: 'engine_unreachable' })

  const look = { projectId, image: 'evil.example/a/b:1' }
  expect(await member.call('apps.lookAtImage', look)).toMatchObject({
    found: false,
    message: expect.stringContaining('is not allowed here'),
  })
  await expect(owner.call('apps.lookAtImage', look)).rejects.toMatchObject({ code: 'engine_unreachable' })
  const { id: appId } = await member.call('apps.create', { projectId, name: 'app', builder: 'image', image: look.image })
  for (const person of [member, owner]) await expect(person.call('apps.checkImage', { appId })).rejects.toMatchObject(refused)
})
