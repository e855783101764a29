import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { type ArchivedFile, createArchiveSum } from './archive.ts'
import { chunksOf, through } from './chunks.ts'
import { DamagedBackup } from './damaged-backup.ts'
import { isPathOfBackup } from './files.ts'
import { MANIFEST, type Manifest, parseManifest } from './manifest.ts'
import { decrypt, isEncrypted } from './passphrase.ts'
import { readArchive } from './read-archive.ts'

type Keep = (file: ArchivedFile) => AsyncIterable<Buffer>
const LONGEST_MANIFEST = 1024 ** 2

/** Reads a backup to its end and passes each file to `keep`, which passes the contents on. Resolves only if the checksum is right. */
export async function openBackup(path: string, passphrase: string | undefined, keep: Keep): Promise<Manifest> {
  const sum = createArchiveSum()
  let manifest: Manifest | undefined
  try {
    for await (const file of readArchive(await unpacked(path, passphrase))) {
      if (manifest) throw new DamagedBackup('something comes after its manifest')
      if (file.path === MANIFEST) {
        manifest = parseManifest(await textOf(file))
        continue
      }
      if (!isPathOfBackup(file.path)) throw new DamagedBackup(`it contains ${JSON.stringify(file.path)}, which no backup has`)
      for await (const chunk of sum.add(file, keep(file))) void chunk
    }
  } catch (cause) {
    if (cause instanceof DamagedBackup || !isOfReading(cause)) throw cause
    throw new DamagedBackup('it ends too early, or a part of it was changed', { cause })
  }
  if (!manifest) throw new DamagedBackup('it ends too early')
  const { files, sha256 } = sum.end()
  if (files !== manifest.files || sha256 !== manifest.sha256)
    throw new DamagedBackup('its files are not the ones that were written into it')
  return manifest
}

async function unpacked(path: string, passphrase: string | undefined): Promise<AsyncIterable<Buffer>> {
  const sealed = isEncrypted(await beginningOf(path))
  if (sealed && passphrase === undefined) throw new DamagedBackup('it is encrypted: set BERTH_BACKUP_PASSPHRASE to its passphrase')
  const packed = sealed ? await decrypt(chunksOf(path), passphrase ?? '') : chunksOf(path)
  return through(packed, createGunzip())
}

async function beginningOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function textOf({ size, contents }: ArchivedFile): Promise<string> {
  if (size > LONGEST_MANIFEST) throw new DamagedBackup('its manifest is too long')
  const parts: Buffer[] = []
  for await (const part of contents) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** Gunzip and decryption throw their own errors for changed bytes; a file that cannot be read is a different problem. */
function isOfReading(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return !['ENOENT', 'EACCES', 'EISDIR', 'ENOSPC', 'EIO', 'EROFS', 'EDQUOT'].includes(code)
}
