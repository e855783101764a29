export type ListeningPort = { readonly port: number; readonly loopbackOnly: boolean }

const LISTEN = '0A'

/** The listening TCP ports, from the text of `/proc/<pid>/net/tcp` and `tcp6`. */
export function listeningPortsIn(tables: readonly string[]): ListeningPort[] {
  const found = new Map<number, boolean>()
  for (const line of tables.flatMap((table) => table.split('\n').slice(1))) {
    const [, local = '', , state] = line.trim().split(/\s+/)
    const [address = '', port = ''] = local.split(':')
    if (state !== LISTEN || !/^[0-9A-F]{4}$/i.test(port)) continue
    const number = Number.parseInt(port, 16)
    found.set(number, (found.get(number) ?? true) && isLoopback(address))
  }
  return [...found].map(([port, loopbackOnly]) => ({ port, loopbackOnly })).toSorted((a, b) => a.port - b.port)
}

// The kernel prints each 32-bit word in the machine's byte order: 127.0.0.1 is 0100007F on the little-endian machines we run on.
function isLoopback(address: string): boolean {
  const hex = address.toUpperCase()
  if (hex.length === 8) return hex.endsWith('7F')
  return hex === '00000000000000000000000001000000' || (hex.startsWith('0000000000000000FFFF0000') && hex.endsWith('7F'))
}
