import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createEngineFirewall, engineFirewallChain, engineFirewallRules } from './engine-firewall.ts'

const wanted = { controlPort: 8080, edgePorts: [80, 443], resolvers: ['10.0.0.2', 'fd00::2'], allowed: ['10.0.0.9'] }
const lines = (family: 'ipv4' | 'ipv6') => engineFirewallRules(wanted, family).map((rule) => rule.join(' '))
const firstOf = (all: readonly string[], part: string) => all.findIndex((line) => line.includes(part))

it('refuses the control plane and metadata services before anything is allowed', () => {
  const all = lines('ipv4')
  const firstAllowed = firstOf(all, 'RETURN')
  for (const part of ['--dport 8080', '169.254.0.0/16', '168.63.129.16/32']) {
    expect(firstOf(all, part)).toBeGreaterThanOrEqual(0)
    expect(firstOf(all, part)).toBeLessThan(firstAllowed)
  }
})

it('allows name servers and named hosts of the same family, and refuses every other private address', () => {
  expect(lines('ipv4')).toContain('-d 10.0.0.2 -p tcp --dport 53 -j RETURN')
  expect(lines('ipv4')).toContain('-d 10.0.0.9 -j RETURN')
  expect(lines('ipv6')).toContain('-d fd00::2 -p tcp --dport 53 -j RETURN')
  expect(lines('ipv6').join('\n')).not.toContain('10.0.0')
  for (const range of ['127.0.0.0/8', '10.0.0.0/8', '192.168.0.0/16'])
    expect(lines('ipv4')).toContain(`-d ${range} -p tcp -j REJECT --reject-with tcp-reset`)
  expect(lines('ipv6')).toContain('-d ::1/128 -p tcp -j REJECT --reject-with tcp-reset')
})

it('lets the proxy of published ports reach networks of others, never those of our apps', () => {
  expect(lines('ipv4')).toContain('! -d 10.224.0.0/12 -o br-+ -j RETURN')
})

it('does nothing where provisioning is off, and then nothing counts as in place', async () => {
  const engine = { socketPath: '/nowhere' }
  const firewall = createEngineFirewall({ log: pino({ level: 'silent' }), mode: 'off', engine, edgePorts: [], privateSources: [] })
  await firewall.ensure(8080)
  expect([firewall.message(), firewall.isInPlace(), engineFirewallChain(8080)]).toEqual(['', false, 'BERTH-E-8080'])
})

it('says so where the engine is not on this machine', async () => {
  const engine = { host: '192.0.2.1', port: 2375 }
  const firewall = createEngineFirewall({ log: pino({ level: 'silent' }), mode: 'auto', engine, edgePorts: [], privateSources: [] })
  await firewall.ensure(8080)
  expect([firewall.message(), firewall.isInPlace()]).toEqual([
    'Nothing limits where the engine may download from: the engine is not on this machine. Dockerfiles cannot ADD from the network.',
    false,
  ])
})
