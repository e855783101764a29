import { expect, it } from 'vitest'
import { gatewayRules } from './overlay-way.ts'

it('lets through what this machine sends to overlay networks and the answers to it, and drops everything else last', () => {
  const rules = gatewayRules({ host: '10.224.3.1' })
  const forwarded = rules.filter(({ table }) => table === 'filter').map(({ rule }) => rule.join(' '))
  expect(forwarded).toEqual([
    'FORWARD -s 10.224.3.1 -d 10.232.0.0/13 -j ACCEPT',
    'FORWARD -d 10.224.3.1 -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT',
    'FORWARD -j DROP',
  ])
  expect(rules.filter(({ table }) => table === 'nat').map(({ rule }) => rule.join(' '))).toEqual([
    'POSTROUTING -s 10.224.3.1 -d 10.232.0.0/13 -j MASQUERADE',
  ])
})
