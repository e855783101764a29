import type { Logger } from 'pino'
import { installDebianPackage, missingPackages } from '../../src/provision/debian-packages.ts'

/** LIST of the Debian packages that the tests use, and what would not run without each. */
const testPackages = {
  git: 'cloning from a real git server',
  'openssh-client': 'cloning over ssh',
  'openssh-server': 'cloning over ssh from a real server',
  'busybox-static': 'images for tests, made without a registry',
  'docker.io': 'a real container engine',
  iptables: 'the networks of the engine',
  'docker-registry': 'images from a real registry',
  'apache2-utils': 'passwords for a real registry',
  haproxy: 'the edge',
  pebble: 'certificates from an ACME server',
  openssl: 'certificates made on the spot',
  'redis-server': 'the Redis template',
  'redis-tools': 'the Redis template',
  postgresql: 'the PostgreSQL dialect and template',
  iproute2: 'faults of the network',
  chromium: 'the dashboard and certificates in a real browser',
  'libnss3-tools': 'certificates in a real browser that trusts their root',
} as const satisfies Record<string, string>

export type MissingPackage = { name: string; neededFor: string; reason: string }

/** Installs missing packages, and returns those that could not be installed: tests that need them are skipped with a message. */
export async function ensureTestPackages(log: Pick<Logger, 'info' | 'warn'>): Promise<MissingPackage[]> {
  const names = Object.keys(testPackages)
  const all = await installDebianPackage(names, { log })
  if (all.ok) return []
  const reasons = new Map<string, string>()
  // apt-get installs all or nothing, so one unknown name must not cost the others.
  for (const name of all.missing) {
    const one = await installDebianPackage([name], { log, refreshLists: false })
    if (!one.ok) reasons.set(name, one.reason)
  }
  const missing = await missingPackages(names)
  return Object.entries(testPackages)
    .filter(([name]) => missing.includes(name))
    .map(([name, neededFor]) => ({ name, neededFor, reason: reasons.get(name) ?? all.reason }))
}
