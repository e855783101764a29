// @vitest-environment happy-dom
import { GITHUB_OUTCOMES, type User } from '@berth/contract'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeNetwork, type Replies } from './fake-network.ts'
import { openPage, press, shows, text, type, until } from './page.ts'

const AT = '2026-01-02T03:04:05.000Z'
const OWNER: User = { id: 1, email: 'owner@example.com', role: 'owner', createdAt: AT }
const REPLIES = {
  'auth.me': OWNER,
  'updates.version': { version: '0.1.0', commit: 'unknown', startedAt: AT },
  'git.accounts': [],
  'projects.list': [],
} satisfies Replies

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('has the browser post the manifest of a new GitHub App to GitHub', async () => {
  const action = 'https://github.com/organizations/acme/settings/apps/new?state=s'
  const network = fakeNetwork({ ...REPLIES, 'git.githubManifest': { action, manifest: '{"name":"Berth"}', state: 's' } })
  const posted: unknown[] = []
  vi.spyOn(HTMLFormElement.prototype, 'submit').mockImplementation(function post(this: HTMLFormElement) {
    posted.push(this.method, this.action, new FormData(this).get('manifest'))
  })
  using _page = openPage('/account/git')
  await press('Connect')
  await press('GitHub App')
  await type('Organization', 'acme')
  await press('Create a GitHub App')
  await until(() => posted.length > 0)
  expect(posted).toEqual(['post', action, '{"name":"Berth"}'])
  expect(network.sent.find(({ name }) => name === 'git.githubManifest')?.body).toEqual({ organization: 'acme', projectId: null })
})

it('says how the way over GitHub ended, and nothing for a word it does not know', async () => {
  fakeNetwork(REPLIES)
  {
    using _page = openPage('/account/git?github=not_installed')
    await shows(GITHUB_OUTCOMES.not_installed)
  }
  using _page = openPage('/account/git?github=constructor')
  await shows('No Git account yet')
  expect(text()).not.toContain('Dismiss')
})
