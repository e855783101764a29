import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'
import { StartRefused } from './start-refused.ts'

/**
 * 32 random bytes kept in a file of mode 0600, made at the first start alone. Once the data directory has
 * a database, a missing key is an error: a new one could open nothing that the old one sealed.
 */
export function secretFile(path: string, options: { mayCreate: boolean }): Buffer {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    if (isMissing(cause) && options.mayCreate) return createSecretFile(path)
    const reason = isMissing(cause) ? 'is missing although there is a database' : 'cannot be read'
    throw new StartRefused(`The key file ${path} ${reason}; put it back from a copy of the data directory.`, { cause })
  }
  if (bytes.length !== 32) throw new StartRefused(`The key file ${path} is damaged: it must hold 32 bytes and holds ${bytes.length}.`)
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

/** A new name is durable only once its directory is. */
function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

function isMissing(cause: unknown): boolean {
  return errorCode(cause) === 'ENOENT'
}
