/**
 * Just enough of the protobuf wire format to read what BuildKit sends. Unknown fields are skipped, and a truncated message ends the
 * parsing.
 */
export type Field = { readonly number: number; readonly value: number | Buffer }

export function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0

  /** Null if the message ends within it. Numbers over 2^53 lose precision, but no field we read is that large. */
  function varint(): number | null {
    let value = 0
    for (let scale = 1; scale <= LARGEST_SCALE; scale *= 128) {
      const byte = bytes[at]
      if (byte === undefined) return null
      at += 1
      if (byte < 128) return value + byte * scale
      value += (byte - 128) * scale
    }
    return null
  }

  function slice(length: number | null): Buffer | null {
    if (length === null || at + length > bytes.length) return null
    at += length
    return bytes.subarray(at - length, at)
  }

  function valueOf(wireType: number): number | Buffer | null {
    if (wireType === 0) return varint()
    if (wireType === 2) return slice(varint())
    return wireType === 1 ? slice(8) : wireType === 5 ? slice(4) : null
  }

  while (at < bytes.length) {
    const key = varint()
    const value = key === null ? null : valueOf(key % 8)
    if (key === null || value === null) return
    yield { number: Math.floor(key / 8), value }
  }
}

/** Of the last of ten bytes. */
const LARGEST_SCALE = 128 ** 9
