import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runProcess } from '../../lib/child-process.ts'
import { syncDirectory } from '../../lib/write-durably.ts'
import type { Layout } from '../../supervisor/layout.ts'

type Options = { layout: Layout; archive: string; version: string; path: string; signal: AbortSignal }

/** A release has its name only once all of it is on the disk. */
export async function unpack({ layout, archive, version, path, signal }: Options): Promise<void> {
  if (version === layout.current()) throw new Error(`${version} is the version that runs`)
  const unfinished = join(layout.releases, `.${version}.unfinished`)
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true, mode: 0o755 })
  await run('tar', ['-xzf', archive, '-C', unfinished, '--strip-components=1', '--no-same-owner'], { path, signal })
  await run('sync', ['-f', unfinished], { path, signal })
  await rm(layout.releaseDir(version), { recursive: true, force: true })
  await rename(unfinished, layout.releaseDir(version))
  await syncDirectory(layout.releases)
}

/** Of an update that ended before the switch. */
export async function removeRelease(layout: Layout, version: string): Promise<void> {
  if (version === layout.current()) return
  await rm(join(layout.releases, `.${version}.unfinished`), { recursive: true, force: true })
  await rm(layout.releaseDir(version), { recursive: true, force: true })
}

async function run(program: string, args: readonly string[], { path, signal }: Pick<Options, 'path' | 'signal'>): Promise<void> {
  let output = ''
  const onOutput = (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-1000))
  const code = await runProcess(program, args, { env: { PATH: path }, onOutput, signal, endWith: 'SIGKILL' })
  if (code !== 0) throw new Error(`${program} ended with exit code ${code}: ${output.trim()}`)
}
