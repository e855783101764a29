import { expect, it } from 'vitest'
import { startGitHost } from '../../testing/git-host/start-git-host.ts'
import { startHostileTls } from '../../testing/harness/hostile-tls.ts'
import { longestSilence } from '../../testing/harness/longest-silence.ts'
import { startTestServer } from '../../testing/harness/start-test-server.ts'

const TOKEN = 'gitea-token-1234567890'

it('a git host whose certificates take seconds to read does not hold up the server', async () => {
  await using host = await startGitHost('gitea')
  host.addPerson('robot', TOKEN)
  using hostile = await startHostileTls({ certificates: 6 })
  await using berth = await startTestServer({ env: host.env })
  const mallory = await berth.as('mallory')
  const ada = await berth.as('ada')
  const connect = async (person: typeof ada, baseUrl: string) =>
    await person.call('git.createAccount', { provider: 'gitea', token: TOKEN, baseUrl })

  const { silentMs } = await longestSilence(async () => {
    await Promise.all([
      expect(connect(mallory, `https://localhost:${hostile.port}`)).rejects.toMatchObject({
        message: expect.stringContaining('localhost does not answer. Check its address, or try again later.'),
      }),
      expect(connect(ada, host.origin)).resolves.toMatchObject({ name: 'robot', status: 'ok' }),
    ])
  })
  expect(hostile.connections()).toBeGreaterThan(0)
  expect(silentMs).toBeLessThan(250)
})
