import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { timesOpen } from '../../../testing/harness/open-files.ts'
import { createBlobs } from './blobs.ts'

const MIB = Buffer.alloc(1024 * 1024)

it('reads a file once for all who ask for it at the same time', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-blobs-'))
  const blobs = createBlobs({ directory, floorBytes: 0, now: () => new Date() })
  const contents = async function* () {
    for (let left = 64; left > 0; left -= 1) yield await Promise.resolve(MIB)
  }
  const { digest, size } = await blobs.write(contents())
  const path = join(directory, 'blobs', digest.slice(7))
  let isDone = false
  const all = Promise.all(Array.from({ length: 20 }, async () => await blobs.whole({ digest, size }))).finally(() => (isDone = true))
  const seen = new Set<number>()
  while (!isDone) {
    seen.add(await timesOpen(path))
    await turn()
  }
  const found = await all
  await rm(directory, { recursive: true })
  expect(new Set(found)).toEqual(new Set([path]))
  expect(Math.max(...seen)).toBe(1)
})
