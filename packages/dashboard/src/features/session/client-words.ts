const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** A User-Agent as people say it: "Firefox on Linux". Other programs are shown by their first word. */
export function clientWords(client: string): string {
  const browser = BROWSERS.find(([sign]) => client.includes(sign))?.[1]
  const system = SYSTEMS.find(([sign]) => client.includes(sign))?.[1]
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  const program = client.split(/[\s/]/, 1)[0] ?? ''
  return program === '' || program === 'node' ? 'Command line or API' : program
}
