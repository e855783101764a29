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

const RELEASE_NAME = /^berth\/[0-9a-f]{32}:release$/

/** Whether an image with this name was built here, and not pulled. */
export function isNameOfBuild(name: string): boolean {
  return RELEASE_NAME.test(name) || GUESSABLE_IMAGE_NAME.test(name)
}

/**
 * The name of a pulled image within a project. It is as hard to guess, and always the same for the same bytes, so that a service of a
 * compose app is not replaced when nothing changed. The labels of a pulled image are its author's, so the name says whose it is.
 */
export function pulledImageName(of: { instance: string; projectId: number; secret: string }): string {
  return `berth/pulled-${of.instance}-${of.projectId}-${of.secret}:release`
}

export function pulledImagesOf(instance: string): string {
  return `berth/pulled-${instance}-*:release`
}

/** The project of a pulled image; null for every other one. */
export function projectOfPulled(instance: string, name: string): number | null {
  const [, ofInstance, projectId] = /^berth\/pulled-([a-z0-9]+)-([1-9]\d*)-[0-9a-f]{32}:release$/.exec(name) ?? []
  return ofInstance === instance ? Number(projectId) : null
}

export function isPulled(name: string): boolean {
  return name.startsWith('berth/pulled-')
}
