import { readFileSync, writeFileSync } from 'node:fs'
import { CannotDo } from './command.ts'

function reasonOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}

export function readText(file: string): string {
  return readBytes(file).toString('utf8')
}

export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new CannotDo('file_not_readable', `${file} cannot be read (${reasonOf(cause)}).`, 'Check the path of the file.')
  }
}

/** Creates a file that only its owner can read, because it contains secrets. An existing file is only replaced on request. */
export function writeSecretFile(file: string, text: string, mayReplace: boolean): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: mayReplace ? 'w' : 'wx' })
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    if (isThere) throw new CannotDo('file_exists', `${file} already exists.`, 'Use --force to replace it.')
    throw new CannotDo('file_not_writable', `${file} cannot be written (${reasonOf(cause)}).`, 'Check the path of the file.')
  }
}
