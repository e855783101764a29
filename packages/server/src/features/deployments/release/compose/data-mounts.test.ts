import { expect, it } from 'vitest'
import { planCompose } from '../../../../engine/compose/policy.ts'
import { contentVolume } from '../../../../engine/compose/volume-names.ts'
import { dataMountsOf } from './data-mounts.ts'

const prefix = 'berth-abc-app-7'
const services = {
  migrate: { image: 'x', volumes: ['migrated:/m'] },
  web: { image: 'x', expose: [80], volumes: ['shared:/s'], depends_on: { migrate: { condition: 'service_completed_successfully' } } },
  worker: { image: 'x', volumes: ['shared:/s', '/own'], deploy: { replicas: 2 } },
}
const settings = { env: {}, volumePrefix: prefix, port: 80, reservedPorts: [], newImageName: () => '' }
const file = JSON.stringify({ services, volumes: { migrated: {}, shared: {} } })

it('are all volumes that starting the live release would create, of each replica its own', () => {
  const plan = planCompose(file, settings)
  const names = dataMountsOf(plan, prefix).map(({ volume }) => volume)
  const own = names.filter((name) => name !== `${prefix}_shared`)
  expect(names.filter((name) => name === `${prefix}_shared`)).toHaveLength(3)
  expect([own.length, new Set(own).size]).toEqual([2, 2])
  for (const name of own) expect(name).toMatch(/^berth-abc-app-7-v[0-9a-f]{16}$/)
})

it('leave out what is filled from the commit, and what belongs to a service that is not started', () => {
  const plan = planCompose(file, settings)
  const content = { volume: contentVolume(prefix, []), path: '/site' }
  const filled = { ...plan, services: plan.services.map((each) => ({ ...each, mounts: [...each.mounts, content] })) }
  const found = dataMountsOf(filled, prefix, new Set(['worker']))
  expect(found.map(({ volume, path }) => [volume, path])).toEqual([[`${prefix}_shared`, '/s']])
})
