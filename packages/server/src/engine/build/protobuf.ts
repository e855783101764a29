/**
 * Just enough of the protobuf wire format to read what BuildKit sends. Unknown fields are skipped, and a truncated message ends the
 * parsing.
 */
export type Field = { readonly number: number; readonly value: number | Buffer }

export function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0
  while (at < bytes.length) {
    const key = varint(bytes, at)
    if (key === null) return
    const number = Math.floor(key.value / 8)
    const read = valueAt(bytes, key.next, key.value % 8)
    if (read === null) return
    yield { number, value: read.value }
    at = read.next
  }
}

type Read<T> = { readonly value: T; readonly next: number } | null

function valueAt(bytes: Buffer, at: number, wireType: number): Read<number | Buffer> {
  if (wireType === 0) return varint(bytes, at)
  if (wireType === 1) return slice(bytes, at, 8)
  if (wireType === 5) return slice(bytes, at, 4)
  if (wireType !== 2) return null
  const length = varint(bytes, at)
  return length === null ? null : slice(bytes, length.next, length.value)
}

function slice(bytes: Buffer, at: number, length: number): Read<Buffer> {
  return at + length > bytes.length ? null : { value: bytes.subarray(at, at + length), next: at + length }
}

// Numbers over 2^53 lose precision, but no field we read is that large.
function varint(bytes: Buffer, from: number): Read<number> {
  let value = 0
  for (let n = 0; n < 10; n += 1) {
    const byte = bytes[from + n]
    if (byte === undefined) return null
    value += (byte % 128) * 2 ** (7 * n)
    if (byte < 128) return { value, next: from + n + 1 }
  }
  return null
}
