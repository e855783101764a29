const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** "0 B", "1.5 MiB", "320 GiB". */
export function sizeWords(bytes: number): string {
  let size = Math.max(0, bytes)
  let unit = 0
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${size >= 100 || unit === 0 ? Math.round(size) : Number(size.toFixed(1))} ${UNITS[unit] ?? 'B'}`
}

export function percentWords(percent: number): string {
  return `${percent >= 10 ? Math.round(percent) : Number(percent.toFixed(1))}%`
}

const counts = new Intl.NumberFormat('en')
export function countWords(count: number): string {
  return counts.format(count)
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countWords(count)} ${count === 1 ? one : many}`
}
