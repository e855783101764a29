import { expect, it } from 'vitest'
import { gatewayRules, openOverlayWay, whyNoOverlayWay } from './overlay-way.ts'

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

it('says why there is no way, and enters the network of no other process than the gateway', async () => {
  const engine = { socketPath: '/var/run/docker.sock' }
  expect(whyNoOverlayWay({ mode: 'off', engine })).toContain('BERTH_PROVISION is off')
  expect(whyNoOverlayWay({ mode: 'auto', engine: { host: '192.0.2.1', port: 2375 } })).toContain('the engine is not on this machine')
  const ends = { gateway: '10.224.3.2', host: '10.224.3.1' }
  for (const way of [
    { containerId: 'c'.repeat(64), pid: process.pid },
    { containerId: '', pid: process.ppid },
    { containerId: '', pid: 0 },
  ])
    await expect(openOverlayWay({ ...way, ...ends })).rejects.toThrow('the process of the gateway was not found')
})
