const INTERPRETER_SEGMENT = 3

/** The dynamic loader that a 64-bit little-endian ELF program names, or undefined for a static one. */
export function elfInterpreter(program: Buffer): string | undefined {
  if (program.length < 64 || program.toString('latin1', 0, 4) !== '\x7fELF') throw new Error('This is not a Linux program.')
  if (program[4] !== 2 || program[5] !== 1) throw new Error('Only 64-bit little-endian programs can be packed.')
  const tableAt = Number(program.readBigUInt64LE(32))
  const entrySize = program.readUInt16LE(54)
  const entries = program.readUInt16LE(56)
  for (let at = tableAt; at < tableAt + entries * entrySize; at += entrySize) {
    if (program.readUInt32LE(at) !== INTERPRETER_SEGMENT) continue
    const from = Number(program.readBigUInt64LE(at + 8))
    const size = Number(program.readBigUInt64LE(at + 32))
    return program.toString('utf8', from, from + size).replace(/\0[^]*/, '')
  }
  return undefined
}

/** The files in a loader's `--list`: `name => /path (address)` or `/path (address)`. A missing one is an error that names it. */
export function listedLibraries(listing: string): string[] {
  const found = new Set<string>()
  for (const line of listing.split('\n')) {
    const missing = /^\s*(\S+) => not found/.exec(line)?.[1]
    if (missing !== undefined) throw new Error(`The library ${missing} is missing on this machine.`)
    const path = /^\s*(?:\S+ => )?(\/\S+) \(0x/.exec(line)?.[1]
    if (path !== undefined) found.add(path)
  }
  return [...found].sort()
}
