/** One element of DER: its tag, and where its contents are. */
export type Element = { readonly tag: number; readonly contents: Buffer }

export const TAG = { integer: 0x02, bits: 0x03, octets: 0x04, objectId: 0x06, sequence: 0x30 } as const

/** The elements that follow each other in these bytes. Throws if one of them is cut off. */
export function elementsOf(bytes: Buffer): Element[] {
  const found: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const { length, begin } = lengthAt(bytes, at + 1)
    const end = begin + length
    if (end > bytes.length) throw new Error('an element that is cut off')
    found.push({ tag: bytes[at] ?? 0, contents: bytes.subarray(begin, end) })
    at = end
  }
  return found
}

/** What is in a sequence, or nothing if it is something else. */
export function inSequence(element: Element | undefined): Element[] {
  return element?.tag === TAG.sequence ? elementsOf(element.contents) : []
}

function lengthAt(bytes: Buffer, at: number): { length: number; begin: number } {
  const first = bytes[at] ?? 0
  if (first < 0x80) return { length: first, begin: at + 1 }
  const size = first & 0x7f
  if (size === 0 || size > 4 || at + 1 + size > bytes.length) throw new Error('a length that is not valid')
  return { length: bytes.readUIntBE(at + 1, size), begin: at + 1 + size }
}

/** The other way round: a tag, the length, the contents. */
export function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const contents = Buffer.concat(parts)
  const size = contents.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), contents])
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return element(TAG.sequence, ...parts)
}

export function objectId(hex: string): Buffer {
  return element(TAG.objectId, Buffer.from(hex, 'hex'))
}

export function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
