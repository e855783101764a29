import { expect, it } from 'vitest'
import { addApp, addLiveRelease } from '../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../testing/harness/test-database.ts'
import type { ReleaseConfig } from '../domain/release-config.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import { createIsAsPlanned } from '../features/deployments/release/compose/is-as-planned.ts'
import { createLivePlaces } from './live-settings.ts'

const MAIN = { process: '', replica: 1 }
const WORKER = { process: 'worker', replica: 1 }
const active = { id: 1, processes: JSON.stringify([{ name: 'worker', command: 'work', replicas: 1 }]) }

/** A live release with a worker and a volume, after the volume was marked like this. */
async function placesWith({ shareable, isReadable = true }: { shareable: boolean; isReadable?: boolean }) {
  await using test = await openTestDatabase()
  const { db } = test
  const stored = await addApp(db, 'a@example.test')
  await addLiveRelease(db, stored, { sealed_config: 'sealed' })
  const app = { ...stored, volumes: JSON.stringify([{ name: 'data', path: '/data', shareable }]) }
  const openRelease = () => {
    if (!isReadable) throw new Error('sealed with another key')
    return { type: 'web', volumes: [{ name: 'data', path: '/data', shareable: true }] } as unknown as ReleaseConfig // what is read of it
  }
  const livePlaces = createLivePlaces({ db, openRelease })
  const isAsPlanned = createIsAsPlanned({ dataDir: '/nowhere', livePlaces })
  const summary = ({ process, replica }: typeof MAIN) => ({ owner: { service: process || null, replica } }) as ContainerSummary // likewise
  return {
    places: await livePlaces(app, active),
    isPlannedWithBoth: await isAsPlanned(app, active, [MAIN, WORKER].map(summary)),
    isPlannedWithMain: await isAsPlanned(app, active, [MAIN].map(summary)),
    withoutProcesses: await livePlaces(app, { processes: '[]' }),
  }
}

it('a release whose volume is for one container by now should have one container, and is as planned with it', async () => {
  const withMainAlone = { places: [MAIN], isPlannedWithMain: true, isPlannedWithBoth: false, withoutProcesses: [MAIN] }
  expect(await placesWith({ shareable: false })).toEqual(withMainAlone)
  expect(await placesWith({ shareable: false, isReadable: false })).toEqual(withMainAlone)
})

it('a release whose volume is shareable should have its processes', async () => {
  const withBoth = { places: [MAIN, WORKER], isPlannedWithMain: false, isPlannedWithBoth: true, withoutProcesses: [MAIN] }
  expect(await placesWith({ shareable: true })).toEqual(withBoth)
})
