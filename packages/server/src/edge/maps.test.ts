import { describe, expect, it } from 'vitest'
import { certificateListFile, edgeMaps, mapFile, routableHost } from './maps.ts'

const hostName = (host: string) => ({ host, redirectHttps: true, hsts: true })
const wanted = (apps: Parameters<typeof edgeMaps>[0]['routes']['apps'], secured: string[] = []) => ({
  routes: { apps },
  certificates: secured.map((host) => ({ host, path: `/c/${host}.pem`, fingerprint: 'AA' })),
  challenges: new Map<string, string>(),
})

describe('the maps', () => {
  it('are the same whatever the order of apps and targets', () => {
    const a = {
      appKey: 'a',
      hosts: [hostName('a.test')],
      targets: [
        { ip: '10.0.0.1', port: 1 },
        { ip: '10.0.0.2', port: 2 },
      ],
    }
    const b = { appKey: 'b', hosts: [hostName('b.test')], targets: [], page: 'starting' as const }
    const one = edgeMaps(wanted([a, b]))
    const two = edgeMaps(wanted([b, { ...a, targets: [...a.targets].reverse() }]))
    expect(mapFile(one.maps.apps)).toBe(mapFile(two.maps.apps))
    expect(mapFile(one.maps.targets)).toBe(mapFile(two.maps.targets))
    expect(one.maps.apps.get('b')).toBe('starting')
    expect(one.maps.apps.get('a')).toMatch(/^[0-9a-f]{16}\/2$/)
  })

  it('name the targets of the previous release next to those of one on trial', () => {
    const release = { targets: [{ ip: '10.0.0.1', port: 1 }], fallback: [{ ip: '10.0.0.2', port: 2 }] }
    const { maps, refused } = edgeMaps(wanted([{ appKey: 'a', hosts: [], ...release }]))
    expect(maps.apps.get('a')).toBe('10.0.0.1|1!10.0.0.2|2')
    expect(maps.targets.size).toBe(0)
    expect(refused).toEqual([])
    const odd = { targets: [], fallback: [{ ip: 'nowhere', port: 2 }] }
    expect(edgeMaps(wanted([{ appKey: 'a', hosts: [], ...odd }])).refused).toHaveLength(1)
  })

  it('redirect a host to https only once it has a certificate', () => {
    const apps = [{ appKey: 'a', hosts: [hostName('a.test'), hostName('b.test')], targets: [] }]
    expect(mapFile(edgeMaps(wanted(apps, ['b.test'])).maps.hosts)).toBe('a.test a|\nb.test a|rs\n')
  })

  it('mark hosts that have neighbours, between the other flags', () => {
    const hosts = [hostName('a.test'), { ...hostName('b.test'), hasNeighbours: true }, { ...hostName('c.test'), hasNeighbours: true }]
    const { maps } = edgeMaps(wanted([{ appKey: 'a', hosts, targets: [] }], ['a.test', 'b.test']))
    expect(mapFile(maps.hosts)).toBe('a.test a|rs\nb.test a|rns\nc.test a|n\n')
  })

  it('give the dashboard its host before any app', () => {
    const routes = {
      apps: [{ appKey: 'a', hosts: [hostName('Dash.test')], targets: [] }],
      dashboard: { host: hostName('dash.test'), target: { ip: '127.0.0.1', port: 8080 } },
    }
    const { maps, refused } = edgeMaps({ routes, certificates: [], challenges: new Map() })
    expect(maps.hosts.get('dash.test')).toBe('dashboard|')
    expect(refused).toEqual(['The host dash.test of a is already routed to dashboard.'])
  })

  it('accept nothing but well-formed challenges', () => {
    const { maps, refused } = edgeMaps({
      routes: { apps: [] },
      certificates: [],
      challenges: new Map([
        ['a b', 'x'],
        ['ok', 'ok.thumb'],
      ]),
    })
    expect([...maps.challenges]).toEqual([['ok', 'ok.thumb']])
    expect(refused).toHaveLength(1)
  })
})

it('a host is a plain DNS name, compared in lower case without its last dot', () => {
  expect(routableHost('WWW.Example.com.')).toBe('www.example.com')
  for (const bad of [
    '',
    'localhost',
    '1.2.3.4',
    '*.a.test',
    'a..test',
    '-a.test',
    'a_b.test',
    'bücher.test',
    'a.test/x',
    `${'a.'.repeat(127)}test`,
    '::1',
    'a\n.test',
  ]) {
    expect(routableHost(bad), bad).toBeUndefined()
  }
})

it('the certificate list names the host of each certificate', () => {
  expect(
    certificateListFile([
      { host: 'b.test', path: '/c/b.pem', fingerprint: '' },
      { host: 'a.test', path: '/c/a.pem', fingerprint: '' },
    ]),
  ).toBe('/c/a.pem a.test\n/c/b.pem b.test\n')
})
