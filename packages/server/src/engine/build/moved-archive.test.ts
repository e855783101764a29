import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempDisposableSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { movedArchive } from './moved-archive.ts'
import { END_OF_ARCHIVE, headerOf, paddingFor, paxHeader } from './tar.ts'

async function* inPieces(archive: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < archive.length; at += size) yield archive.subarray(at, at + size)
}

async function moved(archive: Buffer, size = 1000): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of movedArchive(inPieces(archive, size), 'new-1/place')) parts.push(part)
  return Buffer.concat(parts)
}

const LONG = `${'deep-'.repeat(15)}/${'é'.repeat(60)}/${'name-'.repeat(30)}`

describe('an archive in another place', () => {
  it.each(['ustar', 'pax', 'gnu'])('has the same files, links and contents (%s)', async (format) => {
    using directory = mkdtempDisposableSync(join(tmpdir(), 'berth-moved-'))
    const [from, to] = [join(directory.path, 'from'), join(directory.path, 'to')]
    const long = format === 'ustar' ? `${'a'.repeat(90)}/${'b'.repeat(90)}` : LONG
    const linked = format === 'ustar' ? 'file' : long // where a link's name has no second part
    mkdirSync(join(from, 'data', long, '..'), { recursive: true })
    mkdirSync(to)
    writeFileSync(join(from, 'data', 'file'), 'x'.repeat(1025), { mode: 0o640 })
    writeFileSync(join(from, 'data', 'data'), '')
    writeFileSync(join(from, 'data', long), 'long')
    linkSync(join(from, 'data', linked), join(from, 'data', 'zz-same'))
    symlinkSync('../../../../data/x', join(from, 'data', 'up'))
    const archive = execFileSync('tar', ['-c', `--format=${format}`, '--sort=name', 'data'], { cwd: from })
    for (const size of [1, 511, 100_000]) {
      const place = join(to, String(size))
      mkdirSync(place)
      execFileSync('tar', ['-x'], { cwd: place, input: await moved(archive, size) })
      const at = (name: string) => join(place, 'new-1/place', name)
      expect(readFileSync(at('file'), 'utf8')).toBe('x'.repeat(1025))
      expect(statSync(at('file')).mode & 0o777).toBe(0o640)
      expect(readFileSync(at('data'), 'utf8')).toBe('')
      expect(readFileSync(at(long), 'utf8')).toBe('long')
      expect(statSync(at('zz-same')).ino).toBe(statSync(at(linked)).ino)
      expect(readlinkSync(at('up'))).toBe('../../../../data/x')
    }
  })

  it('keeps what else its headers say, in any bytes', async () => {
    const value = Buffer.from([1, 0, 10, 255, 61, 10])
    const plain = headerOf({ path: 'data/file', kind: 'file', mode: 0o644, size: 3, mtimeSeconds: 0 })
    const pax = paxHeader(new Map([['SCHILY.xattr.security.capability', value]]))
    const result = await moved(Buffer.concat([pax, plain, Buffer.from('abc'), paddingFor(3), END_OF_ARCHIVE]))
    expect(result.includes(Buffer.concat([Buffer.from(' SCHILY.xattr.security.capability='), value]))).toBe(true)
    expect(result.includes(' path=new-1/place/file\n')).toBe(true)
  })

  it('that is cut short is an error, wherever it ends', async () => {
    const plain = headerOf({ path: 'data/file', kind: 'file', mode: 0o644, size: 3, mtimeSeconds: 0 })
    const whole = Buffer.concat([plain, Buffer.from('abc'), paddingFor(3)])
    for (const length of [0, 100, 512, 514, 1024]) await expect(moved(whole.subarray(0, length))).rejects.toThrow('ended too early')
  })
})
