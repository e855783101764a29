import { Readable } from 'node:stream'
import { DamagedBackup } from './damaged-backup.ts'

/** How a file in the age format starts; `age --decrypt` opens it without Berth. */
const AGE = Buffer.from('age-encryption.org/')

export function isEncrypted(beginning: Buffer): boolean {
  return beginning.subarray(0, AGE.length).equals(AGE)
}

/** Encrypts in the age format, with a key that is derived from the passphrase. */
export async function encrypt(chunks: AsyncIterable<Buffer>, passphrase: string): Promise<AsyncIterable<Buffer>> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return buffers(await encrypter.encrypt(Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>)) // chunks are bytes
}

export async function decrypt(chunks: AsyncIterable<Buffer>, passphrase: string): Promise<AsyncIterable<Buffer>> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    return buffers(await decrypter.decrypt(Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>)) // chunks are bytes
  } catch (cause) {
    throw new DamagedBackup('the passphrase is wrong, or the beginning of the file was changed', { cause })
  }
}

async function* buffers(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}
