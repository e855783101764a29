const VERSION = /^(\d+)\.(\d+)\.(\d+)(?!\d)/

/**
 * Whether an engine of this version has the holes that its builder's releases of January 2024 closed (CVE-2024-23651, CVE-2024-23652).
 * They went into Docker 24.0.9 and 25.0.2. A version that cannot be read may be anything.
 */
export function hasBuilderHoles(version: string): boolean {
  const [major, minor, patch] = (VERSION.exec(version) ?? []).slice(1).map(Number)
  if (major === undefined || minor === undefined || patch === undefined) return true
  if (major === 24 || major === 25) return minor === 0 && patch < (major === 24 ? 9 : 2)
  return major < 24
}
