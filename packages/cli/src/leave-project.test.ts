import { expect, it } from 'vitest'
import { OWNER, startTestServer } from '../../server/testing/harness/start-test-server.ts'
import { createCli } from '../testing/run-cli.ts'

const { berth } = createCli()

it('a project of somebody else is left', async () => {
  await using server = await startTestServer()
  await berth(['login', server.baseUrl, '--email', OWNER.email], { input: OWNER.password })
  const ada = await server.as('ada')
  const { id } = await ada.call('projects.create', { name: 'Shop' })
  await ada.call('projects.members', { id, emails: [OWNER.email] })
  expect((await berth(['projects', 'leave', 'Shop'])).code, 'without a terminal it must be confirmed').toBe(2)
  const left = await berth(['projects', 'leave', 'Shop', '--yes', '--json'])
  expect([left.code, JSON.parse(left.out)]).toEqual([0, { id }])
  expect((await ada.call('projects.get', { id })).members.map(({ email }) => email)).toEqual([ada.email])
  await berth(['projects', 'create', 'Own'])
  expect((await berth(['projects', 'leave', 'Own', '--yes'])).err).toContain('The owner of a project is always a member of it.')
})
