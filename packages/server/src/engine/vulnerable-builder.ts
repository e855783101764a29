const VERSION = /^(\d+)\.(\d+)\.(\d+)(?!\d)/

/**
 * Whether the builder of this engine version has the vulnerabilities fixed in January 2024 (CVE-2024-23651, CVE-2024-23652), in Docker
 * 24.0.9 and 25.0.2. An unreadable version counts as vulnerable.
 */
export function hasVulnerableBuilder(version: string): boolean {
  const [major, minor, patch] = (VERSION.exec(version) ?? []).slice(1).map(Number)
  if (major === undefined || minor === undefined || patch === undefined) return true
  if (major === 24 || major === 25) return minor === 0 && patch < (major === 24 ? 9 : 2)
  return major < 24
}
