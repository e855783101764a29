import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { planCompose } from '../../../../engine/compose/policy.ts'
import type { ComposePlan } from '../../../../engine/compose/stack.ts'
import { isContentVolume } from '../../../../engine/compose/volume-names.ts'
import { ownerOf, sharedLabel } from '../../../../engine/labels.ts'
import { withSameLabels } from './own-volumes.ts'
import { canBeTwice, hasPlan, hostPortsOf, isPlanned, keepPlan, keptPlan, releaseLabels, withOpenPorts } from './plan.ts'
import { refuseNotAllowed } from './refuse-not-allowed.ts'

const OPEN = { service: 'web', target: 9000, protocol: 'tcp', port: 8082, address: '127.0.0.1' } as const
const SETTINGS = { env: {}, volumePrefix: 'berth-abc-app-7', reservedPorts: [] }

/** A web service on port 3000 beside a database. */
function planOf(web: object = {}, db: object = {}, port: number | null = 3000): ComposePlan {
  const services = { db: { image: 'postgres:17', ...db }, web: { image: 'shop:1', expose: [3000], ...web } }
  return planCompose(JSON.stringify({ services, volumes: { data: {} } }), { ...SETTINGS, port, newImageName: () => 'berth/x:release' })
}

it.each<[string, ComposePlan, boolean]>([
  ['nothing of its own', planOf(), true],
  ['a database that is started first', planOf({ depends_on: ['db'] }), true],
  ['a database that is healthy first', planOf({ depends_on: { db: { condition: 'service_healthy' } } }), true],
  ['something that must end first', planOf({ depends_on: { db: { condition: 'service_completed_successfully' } } }), false],
  ['data of its own', planOf({ volumes: ['data:/data'] }), false],
  ['a port of the machine, which it gets when the one before is gone', withOpenPorts(planOf(), [OPEN]), true],
  ['a port in the file, which is not opened', planOf({ ports: ['8081:9000'] }), true],
  ['its own port on the machine, which the edge has in its place', planOf({ ports: ['8081:3000'] }), true],
  ['data of another service', planOf({}, { volumes: ['data:/data'] }), true],
  ['no port', planOf({}, {}, null), false],
])('whether the service that has the port can be there twice: %s', (_, plan, expected) => {
  expect(canBeTwice(plan, plan.routedService ?? '')).toBe(expected)
})

it('is refused before anything is replaced if the final check would refuse a service', () => {
  const owner = { instance: 'abc', projectId: 3, appId: 7, deploymentId: 9 }
  const limited = (more: object) => planOf({ mem_limit: '64m', ...more }, { mem_limit: '64m' })
  expect(() => refuseNotAllowed(owner, limited({}))).not.toThrow()
  const plan = limited({})
  const services = plan.services.map((service) => ({ ...service, aliases: ['a-'] }))
  expect(() => refuseNotAllowed(owner, { ...plan, services })).toThrow('The service "db" cannot run as described in the compose file')
})

it('adds volumes to a stored plan if its containers stay the same', () => {
  const filled = planOf({ volumes: ['/a'] }, { volumes: ['/b'] })
  const { services } = withSameLabels(planOf(), filled, 7)
  expect(services.map(({ name, mounts }) => [name, mounts.map(({ path }) => path)])).toEqual([
    ['db', []],
    ['web', ['/a']],
  ])
})

it('knows volumes of files by their whole name', () => {
  expect(isContentVolume('berth-abc-app-7-f0123456789abcdef')).toBe(true)
  for (const name of ['berth-abc-app-7_data-f0123456789abcdef', 'x-f0123456789abcdef', 'berth-abc-app-7-b0123456789abcdef'])
    expect(isContentVolume(name)).toBe(false)
})

it('opens the ports of the machine that somebody wants, and none that the file or an earlier release had', () => {
  const plan = planOf({ ports: ['8081:9000', '5353:53/udp', '80:80'] })
  expect(hostPortsOf(plan)).toEqual([])
  const open = withOpenPorts(plan, [OPEN, { ...OPEN, service: 'gone', port: 8083 }])
  expect(hostPortsOf(open)).toEqual([{ port: 8082, protocol: 'tcp' }])
  expect(open.services.find(({ name }) => name === 'web')?.ports).toEqual([
    { host: 8082, hostIp: '127.0.0.1', container: 9000, protocol: 'tcp' },
  ])
  expect(hostPortsOf(withOpenPorts(open, []))).toEqual([])
})

it('labels its own service for the deployment, and shared ones by how they are defined', () => {
  const first = releaseLabels(planOf(), 7)
  expect(first.get('web')).toBe('7')
  expect(first.get('db')).toMatch(/^shared-[0-9a-f]{12}$/)
  const dbOf = (plan: ComposePlan) => releaseLabels(plan, 8).get('db')
  expect(dbOf(planOf({ image: 'shop:2' }))).toBe(first.get('db'))
  expect(dbOf(planOf({}, { image: 'postgres:18' }))).not.toBe(first.get('db'))
  expect(Object.fromEntries(releaseLabels(planOf({}, {}, null), 10))).toEqual({ db: '10', web: '10' })
})

it('runs one-off services in each release, and ignores the start order in a definition', () => {
  const ends = { depends_on: { db: { condition: 'service_completed_successfully' } } }
  expect(releaseLabels(planOf(ends), 7).get('db')).toBe('7')
  const more = { other: { image: 'x' } }
  const plans = [{}, { depends_on: ['other'] }].map((db) =>
    planCompose(JSON.stringify({ services: { db: { image: 'y', ...db }, ...more, web: { image: 'z', expose: [3000] } } }), {
      ...SETTINGS,
      port: 3000,
      newImageName: () => '',
    }),
  )
  expect(new Set(plans.map((plan) => releaseLabels(plan, 7).get('db'))).size).toBe(1)
})

it('knows its containers by service and label', () => {
  const labels = new Map([
    ['web', '7'],
    ['db', sharedLabel('x')],
  ])
  const is = (service: string, deployment: string) =>
    isPlanned(labels, ownerOf({ 'berth.service': service, 'berth.deployment': deployment }))
  expect([is('web', '7'), is('db', sharedLabel('x'))]).toEqual([true, true])
  expect([is('web', '8'), is('db', '7'), is('db', sharedLabel('y')), is('gone', '7'), is('', '')]).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
})

it('is stored unchanged with its release', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-plan-'))
  try {
    expect(await hasPlan(directory)).toBe(false)
    await keepPlan(directory, planOf())
    expect(await hasPlan(directory)).toBe(true)
    expect(await keptPlan(directory)).toEqual(planOf())
    const long = { ...planOf(), notes: ['x'.repeat(4 * 1024 ** 2)] }
    await expect(keepPlan(directory, long)).rejects.toThrow('longer than 4 MiB')
    const many = { ...planOf(), notes: Array.from({ length: 10_001 }, () => '') }
    await expect(keepPlan(directory, many)).rejects.toThrow('more than 10,000 values')
    expect(await keptPlan(directory)).toEqual(planOf())
  } finally {
    await rm(directory, { recursive: true })
  }
})
