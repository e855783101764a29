import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'
import { StartRefused } from './start-refused.ts'

/**
 * 32 random bytes kept in a file of mode 0600, created on the first start only. Once there is a database, a missing key is an error: a
 * new key could not open anything sealed with the old one.
 */
export function secretFile(path: string, options: { mayCreate: boolean }): Buffer {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    if (isMissing(cause) && options.mayCreate) return createSecretFile(path)
    const reason = isMissing(cause) ? 'is missing although there is a database' : 'cannot be read'
    throw new StartRefused(`The key file ${path} ${reason}; restore it from a backup of the data directory.`, { cause })
  }
  if (bytes.length !== 32) throw new StartRefused(`The key file ${path} is damaged: it must have 32 bytes but has ${bytes.length}.`)
  return bytes
}

function createSecretFile(path: string): Buffer {
  const key = randomBytes(32)
  const temporary = `${path}.${process.pid}`
  const file = openSync(temporary, 'wx', 0o600)
  writeSync(file, key)
  fsyncSync(file)
  closeSync(file)
  linkSync(temporary, path)
  rmSync(temporary)
  syncDirectory(dirname(path))
  return key
}

/** A new file name is durable only once its directory has been synced. */
function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

function isMissing(cause: unknown): boolean {
  return errorCode(cause) === 'ENOENT'
}
