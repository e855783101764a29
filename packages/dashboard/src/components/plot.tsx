import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { onThemeChange } from '../lib/theme.ts'

export type PlotSeries = { label: string; values: readonly (number | null)[] }
type Props = {
  label: string
  times: readonly number[]
  series: readonly PlotSeries[]
  format: (value: number) => string
  /** The top of the scale, if known. Otherwise the values decide. */
  max?: number
  /** The smallest top of the scale, so that small values stay at the bottom instead of filling the plot. */
  least?: number
  height?: number
  /** Values are bytes: ticks are powers of two, which are round numbers of KiB and MiB. */
  bytes?: boolean
}

/** A line chart over time. `times` are in seconds. The tooltip shows the values under the pointer. */
export function Plot({ label, times, series, format, max, least = 1, height = 120, bytes = false }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const shape = `${series.map((each) => each.label).join('|')}|${max ?? ''}|${height}`
  const latest = useRef({ times, series, format, max, least, height, bytes })
  latest.current = { times, series, format, max, least, height, bytes }

  // `shape` changes when the plot must be created again
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const draw = (): void => {
      plot.current?.destroy()
      plot.current = createPlot(element, latest.current)
    }
    draw()
    const offTheme = onThemeChange(draw)
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      offTheme()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [shape])

  useEffect(() => plot.current?.setData(aligned({ times, series })), [times, series])

  return (
    <div role="img" aria-label={label}>
      <div ref={box} className="w-full" style={{ height }} />
    </div>
  )
}

type Drawing = Pick<Props, 'times' | 'series' | 'format'> & { max: number | undefined; least: number; height: number; bytes: boolean }

function aligned({ times, series }: Pick<Props, 'times' | 'series'>): uPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])]
}

/** The canvas needs resolved colours, which only an element's computed style has. */
function colourOf(element: HTMLElement, variable: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${variable})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** At least a minute: for a single sample uPlot would show years. */
function atLeastAMinute(from: number | undefined, to: number | undefined): [number, number] {
  const end = to ?? Date.now() / 1000
  return [Math.min(from ?? end, end - 60), end]
}

const MINUTES = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const SECONDS = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })

const MINUTE = 60
/** Tick intervals. Without 2 and 20 minutes, a narrow plot of a few minutes would have a single tick. */
const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 20 * MINUTE, 30 * MINUTE, 60 * MINUTE]
/** Half of the widest tick label: closer to an edge it would be cut off or overlap the other axis. */
const HALF_MARK_PX = { seconds: 26, minutes: 16 }

/** Ticks less than a minute apart need seconds in their labels. */
function clockMarks(plot: uPlot, splits: readonly number[]): string[] {
  const [first = 0, second = Number.POSITIVE_INFINITY] = splits
  const [words, room] = second - first < MINUTE ? [SECONDS, HALF_MARK_PX.seconds] : [MINUTES, HALF_MARK_PX.minutes]
  const width = plot.bbox.width / devicePixelRatio
  return splits.map((at) => {
    const x = plot.valToPos(at, 'x')
    return x < room || x > width - room ? '' : words.format(at * 1000)
  })
}

const BINARY_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power)

const LINES = ['--accent', '--good']

function createPlot(element: HTMLElement, { times, series, format, max, least, height, bytes }: Drawing): uPlot {
  const ink = colourOf(element, '--ink-faint')
  const grid = { stroke: colourOf(element, '--line'), width: 1 }
  const axis = { stroke: ink, grid, ticks: { show: false }, font: '11px system-ui' }
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      padding: [6, 4, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      scales: {
        x: { range: ({ data: [times] }) => atLeastAMinute(times[0], times[times.length - 1]) },
        y: { range: (_, __, top) => [0, max ?? Math.max(top * 1.15, least)] },
      },
      axes: [
        { ...axis, size: 22, space: 64, incrs: CLOCK_STEPS, values: clockMarks },
        { ...axis, size: 62, space: 34, values: (_, splits) => splits.map(format), ...(bytes ? { incrs: BINARY_STEPS } : {}) },
      ],
      series: [
        {},
        ...series.map(({ label }, at) => ({
          label,
          stroke: colourOf(element, LINES[at] ?? '--accent'),
          width: 1.5,
          points: { show: false },
        })),
      ],
      hooks: { setCursor: [(drawn) => tell(drawn, element, format)] },
    },
    aligned({ times, series }),
    element,
  )
}

function tell(drawn: uPlot, element: HTMLElement, format: (value: number) => string): void {
  const at = drawn.cursor.idx
  const time = at === null || at === undefined ? undefined : drawn.data[0][at]
  if (at === null || at === undefined || time === undefined) {
    element.removeAttribute('title')
    return
  }
  const values = drawn.series.slice(1).map(({ label }, line) => {
    const value = drawn.data[line + 1]?.[at]
    return `${typeof label === 'string' ? label : ''} ${typeof value === 'number' ? format(value) : '–'}`
  })
  element.title = `${new Date(time * 1000).toLocaleTimeString()}\n${values.join('\n')}`
}
