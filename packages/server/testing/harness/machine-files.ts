import { execFile } from 'node:child_process'
import { readdir, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { elfInterpreter, listedLibraries } from '../../src/lib/elf.ts'

export type PackedFile = { bytes: Buffer; mode: number }
export type PackedFiles = Record<string, PackedFile>

const run = promisify(execFile)

export async function packed(file: string): Promise<PackedFile> {
  return { bytes: await readFile(file), mode: 0o755 }
}

/** The libraries that these programs of the machine load, and their loader, at their own places below `root`. */
export async function librariesOf(programs: readonly string[]): Promise<{ files: PackedFiles; folders: string }> {
  const files: PackedFiles = {}
  const folders = new Set<string>()
  for (const program of programs) {
    const loader = elfInterpreter(await readFile(programs[0] ?? program)) ?? '' // a library names no loader; the first is a program
    const { stdout } = await run(loader, ['--list', program])
    for (const library of [loader, ...listedLibraries(stdout)]) {
      files[`root${library}`] ??= await packed(library)
      folders.add(path.dirname(library))
    }
  }
  return { files, folders: [...folders].join(':') }
}

/** Every file below a folder of the machine that passes, placed below `to`. */
export async function filesBelow(folder: string, to: string, isWanted: (file: string) => boolean = () => true): Promise<PackedFiles> {
  const files: PackedFiles = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isDirectory() || !isWanted(file)) continue
    files[path.join(to, path.relative(folder, file))] = await packed(await realpath(file))
  }
  return files
}
