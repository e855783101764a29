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
