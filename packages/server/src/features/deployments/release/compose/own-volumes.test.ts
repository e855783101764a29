import { expect, it } from 'vitest'
import type { StackService } from '../../../../engine/compose/stack.ts'
import type { Context } from '../../run/stage.ts'
import { createWithOwnVolumes, hasVolumeForSuccessor } from './own-volumes.ts'

const service: StackService = {
  name: 'web',
  image: 'shop',
  environment: {},
  mounts: [],
  ports: [],
  aliases: [],
  capDrop: [],
  dependsOn: [],
  restart: { policy: 'no' },
}

/** The paths at which the service gets volumes if its image declares these. */
async function mountedFor(volumePaths: readonly string[]): Promise<string[]> {
  const engine = { images: { inspect: async () => ({ volumePaths }) }, containers: {} }
  const deps = { engine, containers: { ofApp: async () => [] }, instance: 'abc' }
  // only the functions that are called here
  const withOwnVolumes = createWithOwnVolumes(deps as unknown as Parameters<typeof createWithOwnVolumes>[0])
  const context = { app: { id: 7 }, ask: async <Result>(work: () => Promise<Result>) => await work() } as Context
  const { services } = await withOwnVolumes(context, { services: [service], builds: [], routedService: null })
  return services.flatMap(({ mounts }) => mounts.map(({ path }) => path))
}

it('a volume that an image declares is the app’s own, however its path is written', async () => {
  expect(await mountedFor(['/data', '/cache/', '/a/../b', '//c', '/./d'])).toEqual(['/data', '/cache', '/b', '/c', '/d'])
})

it('a volume where no service can have one is not, and no successor waits for it', async () => {
  const paths = ['/run/x', '/a/../proc/x', '/a b', 'relative']
  expect(await mountedFor(paths)).toEqual([])
  const anonymous = { name: 'a'.repeat(64) }
  for (const path of paths.slice(0, 3)) expect(hasVolumeForSuccessor({ volumes: [{ ...anonymous, path }] })).toBe(false)
  expect(hasVolumeForSuccessor({ volumes: [{ ...anonymous, path: '/data' }] })).toBe(true)
  expect(hasVolumeForSuccessor({ volumes: [{ name: 'berth-abc-app-7_data', path: '/data' }] })).toBe(false)
})
