import { expect, it } from 'vitest'
import { lastAlerts } from './process.ts'

it('what HAProxy says before it ends is cut down to the reason', () => {
  const output = '[NOTICE]   (1) : haproxy version is 2.6\n[ALERT]    (1) : Binding [x.cfg:45] for frontend http: cannot bind socket\n'
  expect(lastAlerts(output)).toBe('Binding [x.cfg:45] for frontend http: cannot bind socket')
  expect(lastAlerts('fine')).toBe('')
})
