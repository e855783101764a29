import { expect, test } from 'vitest'
import { aboutWords, actionWords, actorWords } from './action-words.ts'

test('an action has a label, and an unknown one is shown as it is', () => {
  expect(actionWords('deployment.rollback')).toBe('Rollback started')
  expect(actionWords('app.archive')).toBe('app.archive')
})

test('an entry names its subject, and says how often a wrong password was tried', () => {
  const entry = { action: 'app.update', actorEmail: 'a@example.test', subjectId: 7, before: null, after: { port: 80 } }
  expect(aboutWords(entry, 'shop')).toBe(' shop')
  expect(aboutWords({ ...entry, action: 'user.invite', subjectId: null, after: { email: 'b@example.test' } }, '')).toBe(' b@example.test')
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
