import { totalmem } from 'node:os'

const MEBIBYTE = 1024 * 1024
const SHARE = 0.9

/** What a container may use. One without a limit of its own leaves a tenth of the machine: it is ended, and not whatever else runs there. */
export function memoryBytesOf(config: { memoryMb: number | null }): number {
  return config.memoryMb === null ? Math.floor((totalmem() * SHARE) / MEBIBYTE) * MEBIBYTE : config.memoryMb * MEBIBYTE
}
