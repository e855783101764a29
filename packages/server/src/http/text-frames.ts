const TEXT_AND_LAST = 0x81
const SHORT = 126
const LONG = 127

/** Frames as they go over the wire, made once however many sockets they go to. */
export type EncodedFrames = { bytes: Buffer; count: number; timestamp: string }

/** The header of an unmasked text message that is one frame (RFC 6455, section 5.2). */
function headerOf(length: number): Buffer {
  if (length < SHORT) return Buffer.from([TEXT_AND_LAST, length])
  if (length < 65_536) return Buffer.from([TEXT_AND_LAST, SHORT, length >> 8, length & 0xff])
  const header = Buffer.alloc(10)
  header.writeUInt16BE((TEXT_AND_LAST << 8) | LONG)
  header.writeBigUInt64BE(BigInt(length), 2)
  return header
}

export function encodeFrames(frames: readonly { timestamp: string }[]): EncodedFrames {
  const parts = frames.flatMap((frame) => {
    const payload = Buffer.from(JSON.stringify(frame))
    return [headerOf(payload.length), payload]
  })
  return { bytes: Buffer.concat(parts), count: frames.length, timestamp: frames[0]?.timestamp ?? '' }
}
