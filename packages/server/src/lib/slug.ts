import { randomBytes } from 'node:crypto'

const NUMBERED = 20
const TRIES = 20

/** Lower-case letters, digits and dashes, as in a host label or a network alias. */
export function slugOf(text: string, fallback: string): string {
  const slug = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '') // "é" has become "e" and a combining mark
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') // there are never two in a row
    .slice(0, 40)
    .replace(/-$/, '')
  return slug === '' || /^\d+$/.test(slug) ? `${fallback}${slug === '' ? '' : `-${slug}`}` : slug
}

/** `slug`, `slug-2`, `slug-3` … and after a few of them random names that nobody can have taken in advance. */
function* candidates(slug: string): Generator<string> {
  yield slug
  for (let n = 2; n <= NUMBERED; n += 1) yield `${slug}-${n}`
  for (let tries = 0; tries < TRIES; tries += 1) yield `${slug}-${randomBytes(4).toString('hex')}`
}

/** The first of these names that is free. It only tries a few, because all other writers wait meanwhile. */
export async function freeSlug(slug: string, isTaken: (candidate: string) => Promise<boolean>): Promise<string> {
  for (const candidate of candidates(slug)) if (!(await isTaken(candidate))) return candidate
  throw new Error(`no free name like ${slug}`)
}
