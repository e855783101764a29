import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBuildLimits } from './limits.ts'

const log = { info: () => undefined, warn: () => undefined }
const GROUPS = ['docker/buildkit', 'berth-build']
let cgroupRoot = ''
beforeEach(async () => {
  cgroupRoot = await mkdtemp(path.join(tmpdir(), 'berth-cgroup-'))
})
afterEach(() => rm(cgroupRoot, { recursive: true }))

/** The files that the kernel has in a cgroup. */
async function makeFiles(files: readonly string[]): Promise<void> {
  for (const file of files) {
    await mkdir(path.dirname(path.join(cgroupRoot, file)), { recursive: true })
    await writeFile(path.join(cgroupRoot, file), '')
  }
}

const valueIn = async (file: string) => await readFile(path.join(cgroupRoot, file), 'utf8')
const LIMITS = { memoryBytes: 1_000_000, cpus: 1.5, processes: 1024 }

describe('the limits of builds', () => {
  it('are written to each controller of their own, as in cgroup version 1', async () => {
    await makeFiles(
      GROUPS.flatMap((group) => [
        `memory/${group}/memory.use_hierarchy`,
        `memory/${group}/memory.limit_in_bytes`,
        `memory/${group}/memory.memsw.limit_in_bytes`,
        `cpu/${group}/cpu.cfs_quota_us`,
        `pids/${group}/pids.max`,
      ]),
    )
    await createBuildLimits({ log, cgroupRoot }).apply(LIMITS)
    for (const group of GROUPS) {
      expect(await valueIn(`memory/${group}/memory.limit_in_bytes`)).toBe('1000000')
      expect(await valueIn(`cpu/${group}/cpu.cfs_quota_us`)).toBe('150000')
      expect(await valueIn(`pids/${group}/pids.max`)).toBe('1024')
    }
  })

  it('are written to one directory, as in cgroup version 2', async () => {
    await makeFiles([
      'cgroup.controllers',
      ...GROUPS.flatMap((group) => ['memory.max', 'memory.swap.max', 'cpu.max', 'pids.max'].map((file) => `${group}/${file}`)),
    ])
    await createBuildLimits({ log, cgroupRoot }).apply(LIMITS)
    for (const group of GROUPS) {
      expect(await valueIn(`${group}/memory.max`)).toBe('1000000')
      expect(await valueIn(`${group}/cpu.max`)).toBe('150000 100000')
      expect(await valueIn(`${group}/pids.max`)).toBe('1024')
    }
  })

  it('that are not given, or have no file, are left alone', async () => {
    await makeFiles(['cgroup.controllers', 'docker/buildkit/memory.max', 'docker/buildkit/pids.max'])
    const { applied } = await createBuildLimits({ log, cgroupRoot }).apply({ memoryBytes: 1 })
    expect(applied).toEqual(['docker/buildkit/memory.max'])
    expect(await valueIn('docker/buildkit/pids.max')).toBe('')
    expect((await readdir(path.join(cgroupRoot, 'docker/buildkit'))).toSorted()).toEqual(['memory.max', 'pids.max'])
  })
})
