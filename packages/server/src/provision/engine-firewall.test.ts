import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createEngineFirewall, engineFirewallChain, engineFirewallRules } from './engine-firewall.ts'

const wanted = {
  controlPort: 8080,
  edgePorts: [80, 443],
  resolvers: ['10.0.0.2', 'fd00::2'],
  allowed: ['10.0.0.9'],
  registry: [{ address: '10.0.0.8', port: 5000 }],
  proxied: [{ address: '172.17.0.5', port: 5432 }],
  isInSwarm: false,
}
const lines = (family: 'ipv4' | 'ipv6', more: object = {}) =>
  engineFirewallRules({ ...wanted, ...more }, family).map((rule) => rule.join(' '))
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

it('opens one port of the registry, also on this machine, and never the control plane or metadata there', () => {
  const all = lines('ipv4', { registry: [{ address: '10.0.0.8', port: 8080 }] })
  const opened = all.indexOf('-d 10.0.0.8 -p tcp --dport 8080 -j RETURN')
  expect(all.filter((line) => line.includes('10.0.0.8'))).toHaveLength(1)
  expect(firstOf(all, '--dport 8080 -m addrtype --dst-type LOCAL -j REJECT')).toBeLessThan(opened)
  for (const refused of [
    '-p tcp -m addrtype --dst-type LOCAL -j REJECT --reject-with tcp-reset',
    '-d 10.0.0.0/8 -p tcp -j REJECT --reject-with tcp-reset',
  ])
    expect(all.indexOf(refused)).toBeGreaterThan(opened)
  expect(lines('ipv6').join('\n')).not.toContain('10.0.0.8')
})

it('lets the proxies of published ports reach their containers, and nothing else that is on a bridge', () => {
  const all = lines('ipv4')
  const proxied = firstOf(all, '-d 172.17.0.5 -p tcp --dport 5432 -j RETURN')
  expect(proxied).toBeGreaterThanOrEqual(0)
  expect(all.filter((line) => /-o \S+ .*RETURN|! -d 10\.224/.test(line))).toEqual([])
  for (const bridge of ['docker0', 'docker_gwbridge', 'br-+'])
    expect(all.indexOf(`-o ${bridge} -p tcp -j REJECT --reject-with tcp-reset`)).toBeGreaterThan(proxied)
  expect(lines('ipv6').join('\n')).not.toContain('172.17.0.5')
})

it('opens the ports of a swarm only within one, and neither to containers nor to this machine', () => {
  expect(lines('ipv4').join('\n')).not.toContain('7946')
  const all = lines('ipv4', { isInSwarm: true })
  const swarm = firstOf(all, '2377,7946')
  for (const refused of [
    '-d 10.224.0.0/12 -p tcp -j REJECT',
    '-o docker0 -p tcp -j REJECT',
    '-p tcp -m addrtype --dst-type LOCAL -j REJECT',
  ]) {
    expect(firstOf(all, refused)).toBeGreaterThanOrEqual(0)
    expect(firstOf(all, refused)).toBeLessThan(swarm)
  }
  expect(swarm).toBeLessThan(firstOf(all, '-d 10.0.0.0/8'))
})

it('does nothing where provisioning is off, and then nothing counts as in place', async () => {
  const engine = { socketPath: '/nowhere' }
  const firewall = createEngineFirewall({
    log: pino({ level: 'silent' }),
    mode: 'off',
    engine,
    edgePorts: [],
    privateSources: [],
    registry: undefined,
  })
  await firewall.ensure(8080)
  expect([firewall.message(), firewall.isInPlace(), engineFirewallChain(8080)]).toEqual(['', false, 'BERTH-E-8080'])
})

it('says so where the engine is not on this machine', async () => {
  const engine = { host: '192.0.2.1', port: 2375 }
  const firewall = createEngineFirewall({
    log: pino({ level: 'silent' }),
    mode: 'auto',
    engine,
    edgePorts: [],
    privateSources: [],
    registry: undefined,
  })
  await firewall.ensure(8080)
  expect([firewall.message(), firewall.isInPlace()]).toEqual([
    'The engine can download from any address, including private ones: the engine is not on this machine. Dockerfiles cannot ADD from the network, and members only use public registries and those that an admin allowed.',
    false,
  ])
})
