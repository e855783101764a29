// @vitest-environment happy-dom
import type { ProjectDetails, User } from '@berth/contract'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeNetwork, Refusal, type Replies } from './fake-network.ts'
import { openPage, press, shows, text, until } from './page.ts'

const AT = '2026-01-02T03:04:05.000Z'
const ADA: User = { id: 2, email: 'ada@example.com', role: 'user', createdAt: AT }
const BEN: User = { id: 3, email: 'ben@example.com', role: 'user', createdAt: AT }
const project = { id: 4, name: 'Shop', description: '', tags: '', ownerId: ADA.id, createdAt: AT, updatedAt: AT }
const members = [ADA, BEN].map(({ id, email, role }) => ({ id, email, role, addedAt: AT }))
const PROJECT: ProjectDetails = { ...project, applications: [], members }

function pageOf(person: User): Replies {
  return {
    'auth.me': { ...person, cursor: 0 },
    'updates.version': { version: '1.0.0', commit: 'abc', startedAt: AT },
    'projects.list': [project],
    'projects.get': PROJECT,
    'apps.listAll': [],
  }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

it('a member leaves a project after a question, and is told why if that fails', async () => {
  let isDone = false
  const asked: unknown[] = []
  const network = fakeNetwork({
    ...pageOf(BEN),
    'projects.list': () => (isDone ? [] : [project]),
    'projects.leave': (input) => {
      asked.push(input)
      if (asked.length === 1) return new Refusal(503, { error: 'The disk is full.', code: 'storage_unavailable' })
      isDone = true
      return { id: project.id }
    },
  })
  using _page = openPage('/projects/4/members')
  await press('Leave…')
  await shows('You will lose access to this project and its apps.')
  await press('Leave project')
  await shows('The disk is full.')
  await press('Leave project')
  await shows('You left Shop.')
  await until(() => location.pathname === '/projects')
  expect(asked).toEqual([{ id: 4 }, { id: 4 }])
  expect(network.unanswered).toEqual([])
})

it('the owner of a project cannot leave it', async () => {
  fakeNetwork(pageOf(ADA))
  using _page = openPage('/projects/4/members')
  await shows(BEN.email)
  expect(text()).not.toContain('Leave')
})
