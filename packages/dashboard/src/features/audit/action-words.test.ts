import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aboutWords, actionWords, actorWords } from './action-words.ts'

test('an action has a label, and an unknown one is shown as it is', () => {
  expect(actionWords('deployment.rollback')).toBe('Rollback started')
  expect(actionWords('app.archive')).toBe('app.archive')
})

test('every action that the server writes has a label', () => {
  const server = new URL('../../../../server/src/', import.meta.url)
  const sources = globSync('{features,maintenance,reconcile}/**/*.ts', { cwd: server, exclude: ['**/*.test.ts'] })
  const code = sources.map((path) => readFileSync(new URL(path, server), 'utf8')).join('\n')
  const written = [...code.matchAll(/(?:\baction: |\baudit\(\w+, )'([a-z_]+\.[a-z_]+)'/g)].map(([, action = '']) => action)
  expect(written).toEqual(expect.arrayContaining(['app.create', 'server.turn_on', 'keys.rotate']))
  expect([...new Set(written)].filter((action) => actionWords(action) === action)).toEqual([])
})

test('an entry names its subject, and says how often a wrong password was tried', () => {
  const entry = { action: 'app.update', actorEmail: 'a@example.test', subjectId: 7, before: null, after: { port: 80 } }
  expect(aboutWords(entry, 'shop')).toBe(' shop')
  expect(aboutWords({ ...entry, action: 'user.invite', subjectId: null, after: { email: 'b@example.test' } }, '')).toBe(' b@example.test')
  for (const action of ['server.remove', 'node.remove'])
    expect(aboutWords({ ...entry, action, subjectId: null, before: { name: 'two' }, after: null }, '')).toBe(' two')
  expect(aboutWords({ ...entry, action: 'server.invite', subjectId: null, after: null }, '')).toBe('')
  expect(aboutWords({ ...entry, action: 'user.password' }, 'a@example.test')).toBe('')
  const failed = {
    action: 'session.login_failed',
    actorEmail: '',
    subjectId: 7,
    before: null,
    after: { tries: 1, addresses: ['192.0.2.1'] },
  }
  expect(aboutWords(failed, 'a@example.test')).toBe(' for a@example.test')
  expect(aboutWords({ ...failed, after: { tries: 37 } }, 'a@example.test')).toBe(' for a@example.test, 37 times')
  expect(aboutWords({ ...failed, subjectId: null, after: { tries: 2 } }, '')).toBe(' for an unknown email, 2 times')
  expect(aboutWords({ ...entry, action: 'user.password_failed', after: { tries: 3 } }, 'a@example.test')).toBe(', 3 times')
})

test('somebody whose login fails is nobody yet', () => {
  expect(actorWords({ actorEmail: '' })).toBe('Not logged in')
  expect(actorWords({ actorEmail: 'berth' })).toBe('Berth')
  expect(actorWords({ actorEmail: 'a@example.test' })).toBe('a@example.test')
})
