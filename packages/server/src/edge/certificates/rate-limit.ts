/** What authorities say when it is only this name, or names below the same domain, that was ordered too often. */
const OF_NAMES = /already issued|failed authori[sz]ations|exact set/i

/** Every other limit counts for all orders of this server. */
export function isAboutHost(host: string, detail: string): boolean {
  if (OF_NAMES.test(detail)) return true
  const labels = host.split('.')
  const names = labels.slice(0, -1).map((_label, at) => labels.slice(at).join('.'))
  const words = new Set(detail.toLowerCase().split(/[^a-z0-9.-]+/))
  return names.some((name) => words.has(name))
}
