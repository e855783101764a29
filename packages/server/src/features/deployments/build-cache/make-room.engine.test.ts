import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase } from '../../../../testing/harness/test-database.ts'
import { BUSYBOX_IMAGE, ensureBusybox, openTestEngine, tarOf } from '../../../../testing/images/test-images.ts'
import { newImageName } from '../../../engine/image-names.ts'
import { labelsOf } from '../../../engine/labels.ts'
import { createBuildCacheRoom } from './build-cache-room.ts'
import { createBuildTimes } from './build-times.ts'
import { createMakeRoom } from './make-room.ts'

const test = openTestEngine()
const { engine, instance } = test
beforeAll(() => ensureBusybox(engine))
afterAll(() => test[Symbol.asyncDispose]())

/** A build with one step of a megabyte. Answers whether the step ran, or came from the cache. */
async function build(mark: string): Promise<'ran' | 'cached'> {
  const lines: string[] = []
  await engine.build({
    contextTar: tarOf({ Dockerfile: `FROM ${BUSYBOX_IMAGE}\nRUN head -c 1000000 /dev/zero > /file; echo "it ran" # ${mark}\n` }),
    dockerfile: 'Dockerfile',
    tag: newImageName(),
    labels: labelsOf({ instance, kind: 'app', appId: 1 }),
    onLine: (line) => void lines.push(line),
    signal: AbortSignal.timeout(50_000),
  })
  return lines.some((line) => /^#\d+ it ran$/.test(line)) ? 'ran' : 'cached'
}

it('frees space by removing the cache of our own builds, never of others', async () => {
  await using database = await openTestDatabase()
  const buildTimes = createBuildTimes({ db: database.db, now: () => new Date() })
  const [ours, foreign] = [randomBytes(6).toString('hex'), randomBytes(6).toString('hex')]
  await build(foreign)
  await buildTimes.during(async () => await build(ours))
  for (const { id } of await engine.images.list({ labels: { 'berth.instance': instance } })) await engine.images.remove(id) // an image holds its cache
  const said: object[] = []
  const log = { info: (fields: object) => void said.push(fields) }
  const makeRoom = createMakeRoom({
    buildCache: createBuildCacheRoom({ engine, buildTimes }),
    dataDir: '/',
    floorBytes: Number.MAX_SAFE_INTEGER,
    keptBytes: 0,
    log,
  })
  await makeRoom()
  expect(said).toEqual([expect.objectContaining({ freedBytes: expect.any(Number) })])
  expect([await build(ours), await build(foreign)]).toEqual(['ran', 'cached'])
})

it('removes nothing while there is room', async () => {
  await using database = await openTestDatabase()
  const buildTimes = createBuildTimes({ db: database.db, now: () => new Date() })
  const said: object[] = []
  await createMakeRoom({
    buildCache: createBuildCacheRoom({ engine, buildTimes }),
    dataDir: '/',
    floorBytes: 0,
    log: { info: (fields: object) => void said.push(fields) },
  })()
  expect(said).toEqual([])
})
