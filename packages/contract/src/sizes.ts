const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A number of bytes for people, in powers of two: "0 B", "1.5 MiB", "320 GiB". The server, the dashboard and the CLI all use it. */
export function sizeWords(bytes: number): string {
  let size = Math.max(0, bytes)
  let unit = 0
  // by what is shown: 1023.9 KiB is rounded to 1 MiB
  while (Math.round(size) >= 1024 && unit < UNITS.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${size >= 100 || unit === 0 ? Math.round(size) : Number(size.toFixed(1))} ${UNITS[unit] ?? 'B'}`
}
