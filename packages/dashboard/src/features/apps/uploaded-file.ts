import type { FileEncoding } from '@berth/contract'

/** The content of a file as it is sent: as text if it is one, otherwise as base64. */
export function contentOf(bytes: Uint8Array): { encoding: FileEncoding; content: string } {
  const text = textIn(bytes)
  if (text !== undefined) return { encoding: 'utf8', content: text }
  let characters = ''
  for (const byte of bytes) characters += String.fromCharCode(byte)
  return { encoding: 'base64', content: btoa(characters) }
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\u0000') ? undefined : text
  } catch {
    return undefined // some bytes are no characters
  }
}
