import { randomBytes } from 'node:crypto'
import { closeSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { isStorageFailure } from '../storage-failure.ts'

const MEGABYTE = 1024 * 1024
const SIZE = 16 * MEGABYTE
/** Only created if this many times its size is free, so that it does not fill the disk itself. */
const PLENTY = 4
/** Must be free besides the reserve before ordinary writes resume. */
const MARGIN = MEGABYTE

/**
 * A file that occupies disk blocks, so that some can be freed when the disk is full. The space is only given up until the write that
 * needs it has ended. Everything here is synchronous, so that nothing else in this process can take the blocks in between.
 */
export function createReserve(path: string) {
  const block = randomBytes(MEGABYTE) // a compressing file system would reserve nothing for zeros
  let wanted = size()
  let isLent = false

  function size(): number {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }

  function freeBytes(): number {
    try {
      const disk = statfsSync(dirname(path))
      return disk.bfree * disk.bsize
    } catch {
      return 0
    }
  }

  function growTo(bytes: number): boolean {
    try {
      const file = openSync(path, 'a', 0o600)
      try {
        for (let at = size(); at < bytes; ) at += writeSync(file, block, 0, Math.min(block.length, bytes - at))
      } finally {
        closeSync(file)
      }
      return true
    } catch {
      return false
    }
  }

  function shrinkTo(bytes: number): void {
    try {
      if (size() > bytes) truncateSync(path, bytes)
    } catch {
      // Nothing can be freed on a read-only disk.
    }
  }

  function keep(): void {
    if (isLent || size() >= SIZE || freeBytes() < PLENTY * SIZE) return
    growTo(SIZE)
    wanted = size()
  }

  function lend({ bytes = SIZE, kept = 0 } = {}): void {
    isLent = true
    shrinkTo(Math.max(kept, size() - bytes))
  }

  /** As much as fits. */
  function takeBack(): void {
    isLent = false
    growTo(wanted)
  }

  /** Only a hint that an attempt is worthwhile: a disk quota, for example, is not visible here. */
  function mayHaveRoom(): boolean {
    return freeBytes() >= wanted - size() + MARGIN
  }

  /** Tests by writing whether there is space besides the reserve. */
  function hasRoom(): boolean {
    if (isLent) return false
    const isThere = growTo(wanted + MARGIN)
    shrinkTo(wanted)
    return isThere
  }

  return { keep, lend, takeBack, mayHaveRoom, hasRoom, isLent: () => isLent }
}

export type Reserve = ReturnType<typeof createReserve>

/** For a small file that must be written on a full disk. The server completes the reserve again once there is room. */
export async function withRoomOf<Result>(reserve: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (cause) {
    const left = statSync(reserve, { throwIfNoEntry: false })?.size ?? 0
    if (!isStorageFailure(cause) || left === 0) throw cause
    truncateSync(reserve, Math.max(0, left - MEGABYTE))
    return await write()
  }
}
