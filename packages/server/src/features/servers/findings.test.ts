import { expect, it } from 'vitest'
import { nodeOf } from '../../engine/swarm/nodes.ts'
import type { Probed } from '../../engine/swarm/probe.ts'
import { findingsOf } from './findings.ts'

const good: Extract<Probed, { is: 'done' }> = {
  is: 'done',
  hasNoNewPrivileges: true,
  clockMs: 12,
  passes: true,
  isFull: true,
  reached: [],
  gossip: { tcp: 'open', udp: 'silent' },
}

const TRUST = { host: '198.51.100.1:5443', certificate: '-----BEGIN CERTIFICATE-----\nYWJj\nZGVm\n-----END CERTIFICATE-----\n' }
const TOLD = { rules: ['DOCKER-USER -d 192.0.2.1 -j REJECT'], trust: TRUST }

function levelsOf(probed: Probed, engine = '20.10.24'): Record<string, string> {
  const node = nodeOf({ Description: { Hostname: 'two', Engine: { EngineVersion: engine } } })
  return Object.fromEntries(findingsOf(node, probed, TOLD).map(({ check, level }) => [check, level]))
}

it('finds nothing wrong with a good server, in the order in which things are needed', () => {
  const names = ['engine', '2377/tcp', '7946/tcp', '7946/udp', '4789/udp', 'clock', 'no-new-privileges', 'firewall']
  expect(levelsOf(good)).toEqual(Object.fromEntries(names.map((name) => [name, 'ok'])))
})

it.each<[string, Partial<typeof good>, Record<string, string>]>([
  ['nothing passes', { passes: false, isFull: false, clockMs: 0 }, { '4789/udp': 'problem' }],
  ['large packets are lost', { isFull: false }, { '4789/udp': 'problem', clock: 'ok' }],
  ['7946 is closed', { gossip: { tcp: 'refused', udp: 'refused' } }, { '7946/tcp': 'problem', '7946/udp': 'problem' }],
  ['7946 is dropped', { gossip: { tcp: 'silent', udp: 'silent' } }, { '7946/tcp': 'problem', '7946/udp': 'ok' }],
  ['the clock is behind', { clockMs: -5000 }, { clock: 'warning' }],
  ['the clock is wrong', { clockMs: 3_600_000 }, { clock: 'problem' }],
  ['containers reach the control plane', { reached: ['198.51.100.1:8080'] }, { firewall: 'problem' }],
  ['it gets images', { pulls: true }, { images: 'ok' }],
  ['it gets no images', { pulls: false }, { images: 'problem' }],
  ['the engine dropped a setting', { hasNoNewPrivileges: false }, { 'no-new-privileges': 'problem' }],
])('says it: %s', (_name, change, levels) => {
  expect(levelsOf({ ...good, ...change })).toMatchObject(levels)
})

it('does not speak of a clock that it could not read', () => {
  expect(levelsOf({ ...good, passes: false })).not.toHaveProperty('clock')
})

it('says what to do about an old engine, and about a container that does not start', () => {
  expect(levelsOf(good, '19.03.15')['engine']).toBe('problem')
  expect(levelsOf(good, '29.1.0')['engine']).toBe('ok')
  const node = nodeOf({ Description: { Hostname: 'two', Engine: { EngineVersion: '20.10.24' } } })
  expect(findingsOf(node, { is: 'without image' }, TOLD).at(-1)).toMatchObject({
    level: 'problem',
    message: expect.stringContaining('two does not have the image of the check.'),
    toDo: expect.stringContaining('run the part before "&&" on two'),
  })
  expect(findingsOf(node, { is: 'failed', reason: 'disk full' }, TOLD).at(-1)?.message).toBe('A container could not be run: disk full')
})

it('says how a server that joined earlier comes to trust this one', () => {
  const node = nodeOf({ Description: { Hostname: 'two', Engine: { EngineVersion: '20.10.24' } } })
  const found = findingsOf(node, { ...good, pulls: false }, TOLD).at(-1)
  expect(found?.toDo).toContain('Allow 5443/tcp from two to this server.')
  expect(found?.toDo).toContain(
    "mkdir -p /etc/docker/certs.d/198.51.100.1:5443 && printf '%s\\n' '-----BEGIN CERTIFICATE-----' 'YWJjZGVm' '-----END CERTIFICATE-----' > /etc/docker/certs.d/198.51.100.1:5443/ca.crt",
  )
})
