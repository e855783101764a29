import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BEGINNING_BYTES = 1024 * 1024
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

/** The loader and the libraries of a program, or nothing for a static one. The loader itself is asked: it searches as it will at run time. */
export async function librariesOf(program: string): Promise<string[]> {
  const loader = elfInterpreter(await readBeginning(program))
  if (loader === undefined) return []
  const { stdout } = await run(loader, ['--list', program], { timeout: 10_000, env: {} })
  return [...new Set([loader, ...listedLibraries(stdout)])].sort()
}

/** The headers of a program, and the name of its loader, are at its beginning. */
async function readBeginning(program: string): Promise<Buffer> {
  await using file = await open(program)
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(BEGINNING_BYTES) })
  return buffer.subarray(0, bytesRead)
}
