const WIDTH = 120
const HEIGHT = 28

/** A small line chart without axes. The line is broken where there is no value. The label says what it shows and the last value. */
export function Sparkline({ values, label }: { values: readonly (number | null)[]; label: string }) {
  const top = Math.max(...values.map((value) => value ?? 0), 1)
  const step = WIDTH / Math.max(values.length - 1, 1)
  const path = values
    .map((value, at) => {
      if (value === null) return ''
      const isFirst = typeof values[at - 1] !== 'number'
      return `${isFirst ? 'M' : 'L'}${(at * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`
    })
    .join('')
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-5 w-30 text-accent" preserveAspectRatio="none">
      <path d={path} fill="none" stroke="currentColor" strokeWidth={1.5} strokeLinecap="round" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
