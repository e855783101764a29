import { totalmem } from 'node:os'

const MEBIBYTE = 1024 * 1024
const SHARE = 0.9

/**
 * The memory limit of a container. Without a limit of its own it gets 90 % of the machine, so that it is killed instead of other
 * processes.
 */
export function memoryBytesOf(config: { memoryMb: number | null }): number {
  return config.memoryMb === null ? Math.floor((totalmem() * SHARE) / MEBIBYTE) * MEBIBYTE : config.memoryMb * MEBIBYTE
}
