/** Lower-case letters, digits and dashes: what a host label and a network alias may hold. */
export function slugOf(text: string, fallback: string): string {
  const slug = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '') // "é" is "e" and a mark by now
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replaceAll(/-+$/g, '')
  return slug === '' || /^\d+$/.test(slug) ? `${fallback}${slug === '' ? '' : `-${slug}`}` : slug
}

/** The first of `slug`, `slug-2`, `slug-3` … that is not taken. */
export async function freeSlug(slug: string, isTaken: (candidate: string) => Promise<boolean>): Promise<string> {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? slug : `${slug}-${n}`
    if (!(await isTaken(candidate))) return candidate
  }
}
