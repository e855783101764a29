import { randomBytes } from 'node:crypto'

/**
 * Anybody who knows the name of an image on this machine can build on it, copy from it and run it, whichever app it belongs to. So the
 * name of a release's image works like a password: 128 random bits, kept in the database and never shown.
 */
export function newImageName(): string {
  return `berth/${randomBytes(16).toString('hex')}:release`
}

/** The guessable names that early versions of Berth used: `berth/app-4:d17-ab12`, `berth/app-4-s0:d17-ab12`. */
export const GUESSABLE_IMAGE_NAME = /^berth\/app-[1-9]\d*(?:-s\d+)?:d[1-9]\d*-[a-z0-9]{1,24}$/
