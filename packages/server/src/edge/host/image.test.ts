import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { listedLibraries } from '../../lib/elf.ts'
import { edgeImageContext } from './image.ts'

const run = promisify(execFile)

it('packs HAProxy with everything it needs to run on its own', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'berth-image-'))
  try {
    await writeFile(join(dir, 'context.tar'), await edgeImageContext())
    await run('tar', ['-xf', join(dir, 'context.tar'), '-C', dir])
    const { stdout } = await run('chroot', [join(dir, 'root'), '/usr/sbin/haproxy', '-v'])
    expect(stdout).toMatch(/^HAProxy version/)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})

it('says which package is missing when there is no HAProxy', async () => {
  await expect(edgeImageContext({ haproxyPath: '/nowhere/haproxy' })).rejects.toThrow('Install the package haproxy')
})

it('names a library that is missing', () => {
  expect(() => listedLibraries('\tlibx.so.1 => not found\n')).toThrow('libx.so.1')
  expect(listedLibraries('\tlinux-vdso.so.1 (0x1)\n\tlibc.so.6 => /lib/libc.so.6 (0x2)\n\t/lib64/ld.so (0x3)\n')).toEqual([
    '/lib/libc.so.6',
    '/lib64/ld.so',
  ])
})
