import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type ComposePlan, planCompose } from '../../../../engine/compose/policy.ts'
import {
  addressOf,
  canBeTwice,
  deploymentLabels,
  hasPlan,
  hostPortsOf,
  imagesOf,
  keepPlan,
  keptPlan,
  routedOf,
  sharedServices,
  withAddress,
} from './plan.ts'

const SETTINGS = {
  env: {},
  labels: {},
  serviceLabel: 'berth.service',
  appNetwork: 'a',
  projectNetwork: 'p',
  alias: 'shop',
  reservedPorts: [],
}

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
  ['a port of the machine', planOf({ ports: ['8081:3000'] }), false],
  ['data of another service', planOf({}, { volumes: ['data:/data'] }), true],
  ['no port', planOf({}, {}, null), false],
])('whether the service that has the port can be there twice: %s', (_, plan, expected) => {
  expect(canBeTwice(plan)).toBe(expected)
})

it.each<[string, ComposePlan, { services: string[]; alone: boolean }]>([
  ['all but the one that has the port', planOf(), { services: ['db'], alone: false }],
  ['one that depends on it', planOf({}, { depends_on: ['web'] }), { services: ['db'], alone: true }],
  ['all, where none has the port', planOf({}, {}, null), { services: ['db', 'web'], alone: false }],
])('what goes on from one release to the next: %s', (_, plan, expected) => {
  expect(sharedServices(plan)).toEqual(expected)
})

it('knows the service that has the port, and whether it waits for another', () => {
  const image = 'docker.io/library/shop:1'
  expect(routedOf(planOf({ depends_on: ['db'] }))).toEqual({ service: 'web', image, alone: true })
  expect(routedOf(planOf({ depends_on: { db: { condition: 'service_healthy' } } }))).toEqual({ service: 'web', image, alone: false })
  expect(routedOf(planOf({}, {}, null))).toBeUndefined()
})

it('names images and ports of the machine', () => {
  const plan = planOf({ ports: ['8081:3000', '5353:53/udp'] })
  expect(imagesOf(plan).map(({ service, image }) => `${service} ${image}`)).toEqual([
    'db docker.io/library/postgres:17',
    'web docker.io/library/shop:1',
  ])
  expect(hostPortsOf(plan)).toEqual([
    { port: 8081, protocol: 'tcp' },
    { port: 5353, protocol: 'udp' },
  ])
})

it('gives the address to the service that has the port alone', () => {
  const plan = withAddress(planOf(), '10.224.0.130')
  expect(addressOf(plan)).toBe('10.224.0.130')
  expect(plan.file.match(/10\.224\.0\.130/g)).toHaveLength(1)
  expect(addressOf(withAddress(planOf({}, {}, null), '10.224.0.130'))).toBeUndefined()
})

it('labels its own service for the deployment, and shared ones by how they are defined', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-plan-'))
  try {
    const labelsOf = async (plan: ComposePlan, deploymentId: number) => {
      await keepPlan(directory, plan)
      return deploymentLabels(await keptPlan(directory, deploymentId))
    }
    expect(await hasPlan(directory)).toBe(false)
    const first = await labelsOf(planOf(), 7)
    expect(first.get('web')).toBe('7')
    expect(first.get('db')).toMatch(/^shared-[0-9a-f]{12}$/)
    expect(await hasPlan(directory)).toBe(true)
    expect((await labelsOf(planOf({ image: 'shop:2' }), 8)).get('db')).toBe(first.get('db'))
    expect((await labelsOf(planOf({}, { image: 'postgres:18' }), 9)).get('db')).not.toBe(first.get('db'))
    expect(Object.fromEntries(await labelsOf(planOf({}, {}, null), 10))).toEqual({ db: '10', web: '10' })
  } finally {
    await rm(directory, { recursive: true })
  }
})
