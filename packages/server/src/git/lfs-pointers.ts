import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { filesBelow } from '../lib/files-below.ts'
import { readBeginning } from '../lib/read-beginning.ts'

/** A file of which the checkout has a pointer only; `path` is relative to the checkout. */
export type LfsPointer = { readonly path: string; readonly oid: string; readonly size: number; readonly mode: number }

const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v\d+\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/
const LEAST_POINTER_BYTES = 100
const MOST_POINTER_BYTES = 1024
const MOST_ENTRIES = 200_000
const MOST_ATTRIBUTES_BYTES = 64 * 1024

type Within = { readonly mostFiles?: number; readonly submodules?: readonly string[] }

/**
 * Pointers are small files, and only repositories that use Git LFS are searched. Links are not followed. Submodules are left out: each has
 * its own attributes and its own server.
 */
export async function lfsPointersIn(directory: string, { mostFiles = MOST_ENTRIES, submodules = [] }: Within = {}): Promise<LfsPointer[]> {
  const attributes = join(directory, '.gitattributes')
  const isFile = (await lstat(attributes).catch(() => undefined))?.isFile() === true
  if (!isFile || !/\bfilter=lfs\b/.test(await readBeginning(attributes, MOST_ATTRIBUTES_BYTES))) return []
  const found: LfsPointer[] = []
  const skip = new Set(submodules.map((path) => join(directory, path)))
  for await (const file of filesBelow(directory, mostFiles, skip)) {
    const { size: bytes, mode } = await lstat(file)
    if (bytes < LEAST_POINTER_BYTES || bytes > MOST_POINTER_BYTES) continue
    const [, oid, size] = POINTER.exec(await readBeginning(file, MOST_POINTER_BYTES)) ?? []
    if (oid !== undefined) found.push({ path: file.slice(directory.length + 1), oid, size: Number(size), mode: mode & 0o777 })
  }
  return found
}

/** The same in a submodule, with paths from the top. `submodules` are all that were fetched. */
export async function lfsPointersInSubmodule(
  top: string,
  module: string,
  { submodules = [], ...within }: Within = {},
): Promise<LfsPointer[]> {
  const nested = submodules.filter((each) => each.startsWith(`${module}/`)).map((each) => each.slice(module.length + 1))
  const found = await lfsPointersIn(join(top, module), { ...within, submodules: nested })
  return found.map((pointer) => ({ ...pointer, path: `${module}/${pointer.path}` }))
}
