import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MEGABYTE = 1024 * 1024

/** A small disk of its own, or why there is none. */
export async function mountSmallDisk(megabytes: number) {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'berth-test', directory])
  } catch (cause) {
    await rm(directory, { recursive: true })
    return { unavailable: `no file system can be mounted here: ${String(cause).split('\n')[0]}` }
  }
  return {
    directory,
    /** Writes until there is no room for one more byte. */
    async fill(): Promise<void> {
      const file = await open(path.join(directory, 'filler'), 'a')
      for (const size of [MEGABYTE, 64 * 1024, 4096, 512]) {
        const bytes = Buffer.alloc(size)
        while (
          await file.write(bytes).then(
            () => true,
            () => false,
          )
        );
      }
      await file.close()
    },
    free: async () => await rm(path.join(directory, 'filler'), { force: true }),
    async [Symbol.asyncDispose](): Promise<void> {
      // lazily: a process of another test may have been started while it was mounted, and then sees it too
      await run('umount', ['--lazy', directory])
      await rm(directory, { recursive: true })
    },
  }
}

export type SmallDisk = Exclude<Awaited<ReturnType<typeof mountSmallDisk>>, { unavailable: string }>
