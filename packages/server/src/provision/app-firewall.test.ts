import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { appFirewallChain, appFirewallRules, createAppFirewall, FORGERIES } from './app-firewall.ts'

describe('the rules that keep apps away', () => {
  const { refuse, enter } = appFirewallRules(8080)

  it('are all in a chain that the control port names, and apps and build steps enter it', () => {
    expect(appFirewallChain(8080)).toBe('BERTH-8080')
    expect(refuse.every(([chain]) => chain === 'BERTH-8080')).toBe(true)
    expect(enter).toEqual([
      ['INPUT', '-i', 'br-+', '-s', '10.224.0.0/12', '-j', 'BERTH-8080'],
      ['DOCKER-USER', '-i', 'br-+', '-s', '10.224.0.0/12', '-j', 'BERTH-8080'],
      ['INPUT', '-i', 'docker0', '-j', 'BERTH-8080'],
      ['DOCKER-USER', '-i', 'docker0', '-j', 'BERTH-8080'],
      ['INPUT', '-i', 'docker_gwbridge', '-j', 'BERTH-8080'],
      ['DOCKER-USER', '-i', 'docker_gwbridge', '-j', 'BERTH-8080'],
    ])
  })

  it('are the same for IPv6 on the bridges that may carry raw packets, whatever sender a packet claims to have', () => {
    const ipv6 = appFirewallRules(8080, 'ipv6')
    expect(ipv6.enter).toEqual([
      ['INPUT', '-i', 'docker0', '-j', 'BERTH-8080'],
      ['FORWARD', '-i', 'docker0', '-j', 'BERTH-8080'],
      ['INPUT', '-i', 'docker_gwbridge', '-j', 'BERTH-8080'],
      ['FORWARD', '-i', 'docker_gwbridge', '-j', 'BERTH-8080'],
    ])
    expect(ipv6.refuse[0]).toEqual(refuse[0])
    expect(ipv6.refuse[1]).toEqual(['BERTH-8080', '-d', 'fd00:ec2::254/128', '-j', 'REJECT'])
  })

  it('refuse the control port on this machine alone, and the addresses of cloud credentials everywhere', () => {
    expect(refuse[0]?.join(' ')).toContain('--dport 8080 -m addrtype --dst-type LOCAL -j REJECT')
    expect(refuse[1]).toEqual(['BERTH-8080', '-d', '169.254.0.0/16', '-j', 'REJECT'])
  })

  it('refuse the ports of Swarm on every server, and leave them to apps among themselves', () => {
    const lines = refuse.map((rule) => rule.join(' '))
    const reset = '-j REJECT --reject-with tcp-reset'
    const first = '-m conntrack --ctdir ORIGINAL'
    for (const to of ['-m addrtype --dst-type LOCAL', '! -d 10.224.0.0/12']) {
      expect(lines).toContain(`BERTH-8080 -p tcp ${to} -m multiport --dports 2377,7946 ${reset}`)
      expect(lines).toContain(`BERTH-8080 -p tcp ${to} -m multiport --sports 2377,7946 ${first} ${reset}`)
      expect(lines).toContain(`BERTH-8080 -p udp ${to} -m multiport --dports 7946,4789 -j REJECT`)
      expect(lines).toContain(`BERTH-8080 -p udp ${to} -m multiport --sports 7946,4789 ${first} -j REJECT`)
    }
  })
})

it('sets nothing and says nothing where provisioning is off', async () => {
  const said: string[] = []
  const firewall = createAppFirewall({ log: pino({ base: null }, { write: (line: string) => void said.push(line) }), mode: 'off' })
  await firewall.ensure(8080)
  expect([said, firewall.message()]).toEqual([[], ''])
})

it('drops packets with loopback addresses from any interface, whatever their claimed sender', () => {
  const lines = FORGERIES.loopback.map((rule) => rule.join(' '))
  expect(lines).toEqual(['-d 127.0.0.0/8 -j DROP', '-s 127.0.0.0/8 -j DROP'])
})
