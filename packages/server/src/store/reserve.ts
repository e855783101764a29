import { randomBytes } from 'node:crypto'
import { closeSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const MEGABYTE = 1024 * 1024
const SIZE = 16 * MEGABYTE
/** It is made only where this many times as much is free: it must not be what fills the disk. */
const PLENTY = 4
/** What must be free beside the reserve before ordinary writes go on. */
const MARGIN = MEGABYTE

/**
 * A file that holds blocks of the disk, so that there are some to give back when it is full. What it lends is gone from the file only until
 * the write that needs it has ended. Everything here is synchronous: nothing else of ours may take the blocks in between.
 */
export function createReserve(path: string) {
  const block = randomBytes(MEGABYTE) // a file system that compresses would keep no room for zeros
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
      // A disk that is read-only gives nothing back.
    }
  }

  function keep(): void {
    if (isLent || size() >= SIZE || freeBytes() < PLENTY * SIZE) return
    growTo(SIZE)
    wanted = size()
  }

  function lend(bytes = SIZE): void {
    isLent = true
    shrinkTo(Math.max(0, size() - bytes))
  }

  /** As much of it as there is room for. */
  function takeBack(): void {
    isLent = false
    growTo(wanted)
  }

  /** Only says whether trying is worth it: a quota, for one, does not show here. */
  function mayHaveRoom(): boolean {
    return freeBytes() >= wanted - size() + MARGIN
  }

  /** Whether there is room beside the reserve, found out by writing. */
  function hasRoom(): boolean {
    if (isLent) return false
    const isThere = growTo(wanted + MARGIN)
    shrinkTo(wanted)
    return isThere
  }

  return { keep, lend, takeBack, mayHaveRoom, hasRoom, isLent: () => isLent }
}

export type Reserve = ReturnType<typeof createReserve>
