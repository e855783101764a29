import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { onThemeChange } from '../lib/theme.ts'

/** A moment that is marked with a line: `at` is in seconds. */
export type PlotMark = { at: number; label: string }
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
  marks?: readonly PlotMark[]
  /** Plots with the same name share one crosshair. */
  together?: string
  /** Tells which of the times the pointer is at. Without it the tooltip shows the values. */
  onPoint?: (at: number | undefined) => void
}

/** A line chart over time. `times` are in seconds. The tooltip shows the values under the pointer. */
export function Plot({
  label,
  times,
  series,
  format,
  max,
  least = 1,
  height = 120,
  bytes = false,
  marks = NO_MARKS,
  together,
  onPoint,
}: Props) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const shape = `${series.map((each) => each.label).join('|')}|${max ?? ''}|${height}`
  const drawing = { times, series, format, max, least, height, bytes, marks, together, onPoint }
  const latest = useRef(drawing)
  latest.current = drawing

  // `shape` changes when the plot must be created again
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const draw = (): void => {
      plot.current?.destroy()
      plot.current = createPlot(element, latest.current, () => latest.current.marks)
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

  useEffect(() => plot.current?.setData(aligned({ times, series })), [times, series, marks])

  return (
    <div role="img" aria-label={label}>
      <div ref={box} className="w-full" style={{ height }} />
    </div>
  )
}

const NO_MARKS: readonly PlotMark[] = []

type Drawing = Pick<Props, 'times' | 'series' | 'format'> & {
  max: number | undefined
  least: number
  height: number
  bytes: boolean
  together: string | undefined
  onPoint: Props['onPoint']
}

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
const HOURS = [1, 2, 3, 4, 6, 12].map((hours) => hours * 60 * MINUTE)
/** Tick intervals. Without 2 and 20 minutes, a narrow plot of a few minutes would have a single tick. */
const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 20 * MINUTE, 30 * MINUTE, ...HOURS]
/** Half of the widest tick label: closer to an edge it would be cut off or overlap the other axis. */
const HALF_TICK_LABEL_PX = { seconds: 26, minutes: 16 }

/** Ticks less than a minute apart need seconds in their labels. */
function tickLabels(plot: uPlot, splits: readonly number[]): string[] {
  const [first = 0, second = Number.POSITIVE_INFINITY] = splits
  const [words, room] = second - first < MINUTE ? [SECONDS, HALF_TICK_LABEL_PX.seconds] : [MINUTES, HALF_TICK_LABEL_PX.minutes]
  const width = plot.bbox.width / devicePixelRatio
  return splits.map((at) => {
    const x = plot.valToPos(at, 'x')
    return x < room || x > width - room ? '' : words.format(at * 1000)
  })
}

const BINARY_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power)

const LINES = ['--accent', '--good']

function createPlot(element: HTMLElement, drawing: Drawing, marks: () => readonly PlotMark[]): uPlot {
  const { times, series, format, max, least, height, bytes, together, onPoint } = drawing
  const ink = colourOf(element, '--ink-faint')
  const grid = { stroke: colourOf(element, '--line'), width: 1 }
  const axis = { stroke: ink, grid, ticks: { show: false }, font: '11px system-ui' }
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      padding: [6, 4, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false },
        points: { size: 6 },
        ...(together !== undefined && { sync: { key: together } }),
      },
      scales: {
        x: { range: ({ data: [times] }) => atLeastAMinute(times[0], times[times.length - 1]) },
        y: { range: (_, __, top) => [0, max ?? Math.max(top * 1.15, least)] },
      },
      axes: [
        { ...axis, size: 22, space: 64, incrs: CLOCK_STEPS, values: tickLabels },
        { ...axis, size: 62, space: 34, values: (_, splits) => splits.map(format), ...(bytes ? { incrs: BINARY_STEPS } : {}) },
      ],
      series: [
        {},
        ...series.map(({ label }, at) => ({
          label,
          stroke: colourOf(element, LINES[at] ?? '--accent'),
          width: 1.5,
          points: { show: false, size: 3, filter: (drawn: uPlot, line: number) => lonePoints(drawn.data[line] ?? []) },
        })),
      ],
      hooks: {
        setCursor: [(drawn) => (onPoint ? onPoint(drawn.cursor.idx ?? undefined) : showValues(drawn, element, format))],
        draw: [(drawn) => drawMarks(drawn, marks(), colourOf(element, '--ink-faint'))],
      },
    },
    aligned({ times, series }),
    element,
  )
}

/** Values without one before and after them: no line leads to them, so they are drawn as points. */
function lonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const isThere = (at: number) => typeof values[at] === 'number'
  return Array.from(values, (_, at) => at).filter((at) => isThere(at) && !isThere(at - 1) && !isThere(at + 1))
}

/** Half of the widest label of a mark: labels that are closer to each other would overlap. */
const HALF_MARK_LABEL_PX = 34

function drawMarks(drawn: uPlot, marks: readonly PlotMark[], colour: string): void {
  const { ctx, bbox } = drawn
  const scale = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  ctx.font = `${11 * scale}px system-ui`
  ctx.textBaseline = 'top'
  ctx.setLineDash([3 * scale, 3 * scale])
  let free = bbox.left + bbox.width
  // The newest first: of marks that are too close, it has the label.
  for (const { at, label } of marks.toSorted((a, b) => b.at - a.at)) {
    const x = Math.round(drawn.valToPos(at, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    const isAtEnd = x > bbox.left + bbox.width - HALF_MARK_LABEL_PX * scale
    if (x > free) continue
    ctx.textAlign = isAtEnd ? 'right' : 'left'
    ctx.fillText(label, x + (isAtEnd ? -3 : 3) * scale, bbox.top)
    free = x - HALF_MARK_LABEL_PX * scale
  }
  ctx.restore()
}

function showValues(drawn: uPlot, element: HTMLElement, format: (value: number) => string): void {
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
