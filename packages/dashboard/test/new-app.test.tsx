// @vitest-environment happy-dom
import type { BuildPlan, SourceFile, User } from '@berth/contract'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeNetwork, Refusal, type Replies } from './fake-network.ts'
import { field, openPage, press, shows, type, until } from './page.ts'

const AT = '2026-01-02T03:04:05.000Z'
const OWNER: User = { id: 1, email: 'owner@example.com', role: 'owner', createdAt: AT }
const HOME = { id: 5, name: 'Shop', description: '', tags: '', ownerId: 1, createdAt: AT, updatedAt: AT, applications: [] }
const NO_FILE: SourceFile = { state: 'missing', path: 'compose.yaml', others: [], reason: '' }
const PLAN: BuildPlan = {
  builder: 'dockerfile',
  kind: 'dockerfile',
  title: 'Dockerfile',
  files: ['Dockerfile'],
  versions: [{ name: 'Base image', version: 'node:24-slim', from: 'Dockerfile' }],
  commands: [
    { name: 'start', command: 'node server.js', from: 'Dockerfile' },
    { name: 'release', command: 'node migrate.js', from: 'Procfile' },
  ],
  processes: [{ name: 'worker', command: 'node worker.js', replicas: 0, from: 'Procfile' }],
  outputDirectory: '',
  port: 3000,
  dockerfile: 'FROM node:24-slim\n',
  notes: ["The Dockerfile exposes port 8080, but the app's port is 3000. Set the port your app listens on."],
}
const REPLIES = {
  'auth.me': OWNER,
  'updates.version': { version: '0.1.0', commit: 'unknown', startedAt: AT },
  'git.accounts': [],
  'projects.list': [],
  'projects.get': { ...HOME, members: [{ id: 1, email: OWNER.email, role: 'owner', addedAt: AT }] },
  'apps.checkSource': { reachable: true, message: '1 branch', defaultBranch: 'main', branches: ['main'] },
  'apps.checkSourceFiles': { dockerfile: { state: 'found', path: 'Dockerfile', others: [], reason: '' }, composeFile: NO_FILE },
  'builds.planNew': { plan: PLAN, problem: '' },
} satisfies Replies

function factOf(name: string): string | undefined {
  const term = [...document.querySelectorAll('dt')].find(({ textContent }) => textContent === name)
  return term?.nextElementSibling?.textContent.trim()
}

afterEach(() => vi.unstubAllGlobals())

it('shows what a repository with a Dockerfile would build and run, without fields for what the Dockerfile decides', async () => {
  const network = fakeNetwork(REPLIES)
  using _page = openPage('/projects/5/new')
  await type('Clone URL', 'https://git.example.com/acme/shop.git')
  await shows('Dockerfile found')
  await until(() => factOf('Start') === 'node server.js')
  expect(factOf('Dockerfile')).toBe('Dockerfile')
  expect(factOf('Base image')).toBe('node:24-slim (Dockerfile)')
  expect(factOf('Port')).toBe('3000')
  expect(factOf('Before each release')).toBe('node migrate.js (Procfile)')
  expect(factOf('Process worker')).toContain('node worker.js (Procfile)')
  await shows('The Dockerfile exposes port 8080')
  expect(field('Start command')).toBeUndefined()
  expect(network.sent.find(({ name }) => name === 'builds.planNew')?.body).toMatchObject({ projectId: 5, port: 3000 })
})

it('says what is wrong with a clone URL without the name of its field in the API', async () => {
  const details = [{ field: 'gitCloneUrl', message: 'must be an address such as https://host/owner/repository' }]
  const error = `gitCloneUrl: ${details[0]?.message}`
  fakeNetwork({ ...REPLIES, 'apps.checkSource': new Refusal(400, { error, code: 'invalid_source', details }) })
  using _page = openPage('/projects/5/new')
  await type('Clone URL', 'somewhere')
  await shows('Must be an address such as https://host/owner/repository.')
  expect(document.body.textContent).not.toContain('gitCloneUrl')
})

it('still says that there is a Dockerfile where the repository cannot be read whole', async () => {
  fakeNetwork({ ...REPLIES, 'builds.planNew': { plan: null, problem: 'The repository is too large for a quick check.' } })
  using _page = openPage('/projects/5/new')
  await type('Clone URL', 'https://git.example.com/acme/shop.git')
  await shows('The repository is too large for a quick check.')
  await shows('Dockerfile found')
  expect(field('Start command')).toBeUndefined()
})

it('speaks of the Procfile where a process can have a line in one, and not for a ready image', async () => {
  fakeNetwork(REPLIES)
  using _page = openPage('/projects/5/new')
  await press('Add a process')
  expect((await until(() => field('Command'))).placeholder).toBe('From the Procfile')
  await press('Image')
  await until(() => field('Command')?.placeholder === '')
  expect(document.body.textContent).not.toContain('Procfile')
})

it('lets a compose app come from a repository or from a text, with one choice for all ways', async () => {
  fakeNetwork(REPLIES)
  using _page = openPage('/projects/5/new')
  const compose = () => [...document.querySelectorAll('label')].find(({ textContent }) => textContent.startsWith('Compose'))
  ;(await until(compose)).click()
  await press('Paste a file')
  const ways = await until(() => document.querySelector('[role=group][aria-label=Source]') ?? undefined)
  expect([...ways.querySelectorAll('button')].map(({ textContent }) => textContent)).toEqual(['Git account', 'Clone URL', 'Paste a file'])
  await until(() => document.querySelector('textarea')?.labels?.[0]?.textContent === 'Compose file')
  expect([field('Clone URL'), field('Root directory')]).toEqual([undefined, undefined])
  await press('Clone URL')
  await until(() => field('Root directory'))
  expect(document.querySelector('[aria-label=Source] [aria-pressed=true]')?.textContent).toBe('Clone URL')
})
