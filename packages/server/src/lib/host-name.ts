import { isIP } from 'node:net'

/** Hosts are compared without case and without a trailing dot. */
export function normalHost(text: string): string {
  const host = text.trim().toLowerCase()
  return host.endsWith('.') ? host.slice(0, -1) : host
}

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Why this is not a valid host name, or undefined. Non-ASCII names are in punycode. */
export function hostProblem(host: string): string | undefined {
  if (host.length > 253) return 'must have at most 253 characters'
  if (host.includes('*')) return 'must name one host: wildcards are set in the settings'
  if (isIP(host.replaceAll(/^\[|\]$/g, '')) !== 0 || /^[0-9.]+$/.test(host)) return 'must be a name, not an address'
  const labels = host.split('.')
  if (labels.length < 2) return 'must be a full host name such as app.example.com'
  if (!labels.every((label) => LABEL.test(label))) return 'must consist of letters, digits, dashes and dots, such as app.example.com'
  if (/^\d+$/.test(labels.at(-1) ?? '')) return 'must end in a name, not in a number'
  return undefined
}
