import type { NetworkInterfaceInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../lib/app-error.ts'
import { chooseAddress, joinCommand, reachableAddresses, siteUrl } from './join-command.ts'

const join = { imageToken: 'abc', joinToken: 'SWMTKN-1-x', manager: '198.51.100.1:2377', rules: ['DOCKER-USER -d 192.0.2.1 -j REJECT'] }

describe('the command', () => {
  it('loads the image from where the caller reached Berth, closes what apps must not reach, then joins', () => {
    expect(joinCommand({ ...join, site: siteUrl('https://berth.example.com') })).toBe(
      "curl -fsS 'https://berth.example.com/api/servers/image?token=abc' | docker load && " +
        '{ iptables -C DOCKER-USER -d 192.0.2.1 -j REJECT 2>/dev/null || iptables -I DOCKER-USER -d 192.0.2.1 -j REJECT; ' +
        'docker swarm join --token SWMTKN-1-x 198.51.100.1:2377; }',
    )
  })

  it('makes Docker there trust the images of this Berth, before it joins', () => {
    const certificate = '-----BEGIN CERTIFICATE-----\nYWJj\nZGVm\n-----END CERTIFICATE-----\n'
    const command = joinCommand({ ...join, site: siteUrl('https://berth.example.com'), trust: { host: '198.51.100.1:5443', certificate } })
    expect(command).toContain(
      "docker load && { mkdir -p /etc/docker/certs.d/198.51.100.1:5443 && printf '%s\\n' '-----BEGIN CERTIFICATE-----' 'YWJjZGVm' '-----END CERTIFICATE-----' > /etc/docker/certs.d/198.51.100.1:5443/ca.crt; iptables",
    )
    expect(command).not.toContain('\n')
  })

  it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])('does not send the new server to itself: %s', (site) => {
    expect(joinCommand({ ...join, site: siteUrl(site) })).toContain("'http://198.51.100.1:3000/api/")
  })

  it.each(["http://a';id;'", 'http://$(id)', 'http://`id`', 'http://', 'http://a b', 'http://a:99999'])(
    'has no room for other commands: %s',
    (site) => {
      expect(() => siteUrl(site)).toThrow(new AppError('invalid_request', { message: 'The Host header is not valid.' }))
    },
  )
})

describe('the address of this server', () => {
  const entry = (address: string, internal = false): NetworkInterfaceInfo[] => [
    { address, internal, family: 'IPv4', netmask: '', mac: '', cidr: null },
  ]

  it('is one of the machine, not of its containers', () => {
    const found = reachableAddresses({
      lo: entry('127.0.0.1', true),
      eth0: entry('198.51.100.1'),
      docker0: entry('172.17.0.1'),
      'br-1': entry('10.224.0.1'),
    })
    expect(found).toEqual(['198.51.100.1'])
  })

  it('is the only one, or has to be named', () => {
    expect(chooseAddress(undefined, ['198.51.100.1'])).toBe('198.51.100.1')
    expect(chooseAddress('203.0.113.7', ['198.51.100.1'])).toBe('203.0.113.7')
    expect(() => chooseAddress(undefined, ['198.51.100.1', '10.0.0.1'])).toThrow('198.51.100.1, 10.0.0.1')
    expect(() => chooseAddress(undefined, [])).toThrow('none was found')
    expect(() => chooseAddress('999.1.1.1', [])).toThrow('address: must be an IPv4 address')
  })
})
