const TEXT_AND_LAST = 0x81
const SHORT = 126
const LONG = 127
const NO_ROOM = Buffer.alloc(0)

/** WebSocket frames as bytes, created once for any number of sockets. */
export type EncodedFrames = { bytes: Buffer; count: number; timestamp: string }

function headerLength(length: number): number {
  return length < SHORT ? 2 : length < 65_536 ? 4 : 10
}

/** Writes the header of an unmasked single-frame text message (RFC 6455, section 5.2). Returns the offset after it. */
function writeHeader(bytes: Buffer, at: number, length: number): number {
  bytes[at] = TEXT_AND_LAST
  if (length < SHORT) return bytes.writeUInt8(length, at + 1)
  bytes[at + 1] = length < 65_536 ? SHORT : LONG
  return length < 65_536 ? bytes.writeUInt16BE(length, at + 2) : bytes.writeBigUInt64BE(BigInt(length), at + 2)
}

/** All frames in one buffer: a batch can have a thousand frames, and there can be many batches. Uses `room` if they fit. */
export function encodeFrames(frames: readonly { timestamp: string }[], room = NO_ROOM): EncodedFrames {
  const texts = frames.map((frame) => JSON.stringify(frame))
  const lengths = texts.map((text) => Buffer.byteLength(text))
  const size = lengths.reduce((sum, length) => sum + headerLength(length) + length, 0)
  const bytes = size <= room.length ? room.subarray(0, size) : Buffer.allocUnsafe(size)
  let at = 0
  for (const [index, text] of texts.entries()) {
    at = writeHeader(bytes, at, lengths[index] ?? 0)
    at += bytes.write(text, at)
  }
  return { bytes, count: frames.length, timestamp: frames[0]?.timestamp ?? '' }
}
