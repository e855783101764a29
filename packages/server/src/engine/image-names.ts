import { randomBytes } from 'node:crypto'

/**
 * Whoever can name an image on this machine can build on it, copy from it and run it, whatever app it belongs to. So the name of a
 * release's image is the right to use it: 128 random bits, kept in the database and shown nowhere.
 */
export function newImageName(): string {
  return `berth/${randomBytes(16).toString('hex')}:release`
}

/** Names that could be guessed, as Berth gave them at first: `berth/app-4:d17-ab12`, `berth/app-4-s0:d17-ab12`. */
export const GUESSABLE_IMAGE_NAME = /^berth\/app-[1-9]\d*(?:-s\d+)?:d[1-9]\d*-[a-z0-9]{1,24}$/
