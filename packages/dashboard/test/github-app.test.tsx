// @vitest-environment happy-dom
import { GITHUB_OUTCOMES, type GitAccount, type User } from '@berth/contract'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeNetwork, type Replies } from './fake-network.ts'
import { field, openPage, press, shows, text, type, until } from './page.ts'

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

it('begins in the wizard, and continues there with what was typed and the new account', async () => {
  const members = [{ id: 1, email: OWNER.email, role: 'owner', addedAt: AT } as const]
  const home = { id: 5, name: 'Shop', description: '', tags: '', ownerId: 1, createdAt: AT, updatedAt: AT, applications: [], members }
  const action = 'https://github.com/settings/apps/new?state=s'
  const replies = { ...REPLIES, 'projects.get': home, 'git.githubManifest': { action, manifest: '{}', state: 's' } }
  const network = fakeNetwork(replies)
  let isPosted = false
  vi.spyOn(HTMLFormElement.prototype, 'submit').mockImplementation(() => {
    isPosted = true
  })
  {
    using _page = openPage('/projects/5/new')
    await type('Name', 'my-shop')
    await press('Git account')
    await press('Connect a GitHub App')
    await press('Create a GitHub App')
    await until(() => isPosted)
  }
  expect(network.sent.find(({ name }) => name === 'git.githubManifest')?.body).toEqual({ projectId: null })
  const account: GitAccount = {
    id: 7,
    provider: 'github',
    name: 'acme',
    baseUrl: 'https://github.com',
    via: 'app',
    projectId: null,
    ownerId: 1,
    status: 'ok',
    error: '',
    warning: '',
    apps: 0,
    createdAt: AT,
  }
  fakeNetwork({ ...replies, 'git.accounts': [account], 'git.repos': [] })
  using _page = openPage('/account/git?github=connected')
  await shows('New app')
  await shows('acme on GitHub')
  await until(() => field('Name')?.value === 'my-shop')
  expect(sessionStorage.length).toBe(0)
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
