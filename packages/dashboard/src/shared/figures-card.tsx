import { type Application, type Deployment, type Figures, type FiguresRange, sizeWords } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { Card } from '../components/card.tsx'
import { Plot, type PlotMark } from '../components/plot.tsx'
import { QueryView } from '../components/query-view.tsx'
import { Segmented } from '../components/segmented.tsx'
import { recentDeployments } from '../features/deployments/queries.ts'
import { figuresOfApp } from '../features/figures/queries.ts'
import { classNames } from '../lib/class-names.ts'
import { useSearchState } from '../lib/route-state.ts'
import { percentWords } from '../lib/sizes.ts'
import { hasDomains } from './use-app.ts'

const RANGES = [
  { value: '1h', label: '1 hour' },
  { value: '6h', label: '6 hours' },
  { value: '24h', label: '24 hours' },
] as const satisfies readonly { value: FiguresRange; label: string }[]

const rateWords = (rate: number): string => `${rate >= 10 ? Math.round(rate) : Number(rate.toFixed(2))}/s`
const minuteWords = (rate: number): string => `${Number(rate.toFixed(rate >= 10 ? 0 : 1))}/min`
const timeWords = (ms: number): string => (ms >= 1000 ? `${Number((ms / 1000).toFixed(1))} s` : `${Math.round(ms)} ms`)

type Panel = {
  title: string
  format: (value: number) => string
  lines: readonly { label: string; of: (figures: Figures) => readonly (number | null)[] }[]
  least?: number
  bytes?: boolean
  isTraffic?: boolean
}

const PANELS: readonly Panel[] = [
  { title: 'CPU', format: percentWords, least: 5, lines: [{ label: 'CPU', of: ({ cpu }) => cpu }] },
  { title: 'Memory', format: sizeWords, least: 1024 * 1024, bytes: true, lines: [{ label: 'Memory', of: ({ memory }) => memory }] },
  { title: 'Requests', format: rateWords, isTraffic: true, lines: [{ label: 'Requests', of: ({ requests }) => requests }] },
  {
    title: 'Latency',
    format: timeWords,
    least: 10,
    isTraffic: true,
    lines: [
      { label: 'p50', of: ({ p50 }) => p50 },
      { label: 'p99', of: ({ p99 }) => p99 },
    ],
  },
  {
    title: '5xx errors',
    format: minuteWords,
    isTraffic: true,
    lines: [{ label: '5xx', of: ({ errors }) => errors.map((rate) => (rate === null ? null : rate * 60)) }],
  },
]

/** What the app used and served in the last hours, with its deployments. */
export function FiguresCard({ app }: { app: Application }) {
  const [picked, pick] = useSearchState('range')
  const range = RANGES.find(({ value }) => value === picked)?.value ?? '1h'
  const query = useQuery(figuresOfApp(app.id, range))
  return (
    <Card
      title="Metrics"
      actions={<Segmented label="Time range" value={range} options={RANGES} onPick={(next) => pick(next === '1h' ? '' : next)} />}
    >
      <QueryView query={query}>{(figures) => <Panels app={app} figures={figures} />}</QueryView>
    </Card>
  )
}

function marksOf(deployments: readonly Deployment[]): PlotMark[] {
  return deployments
    .filter(({ status }) => status === 'success' || status === 'rolled_back')
    .map(({ deployment_number, finished_at, created_at }) => ({
      at: Date.parse(finished_at ?? created_at) / 1000,
      label: `#${deployment_number}`,
    }))
}

function Panels({ app, figures }: { app: Application; figures: Figures }) {
  const { data: deployments } = useQuery(recentDeployments(app.id))
  const marks = useMemo(() => marksOf(deployments ?? []), [deployments])
  const from = Date.parse(figures.from) / 1000
  // A value covers the time before its position in the plot.
  const times = useMemo(() => figures.cpu.map((_value, at) => from + (at + 1) * figures.everySeconds), [figures, from])
  // The step under the pointer, in any of the plots.
  const [pointed, setPointed] = useState<number | undefined>(undefined)
  const onPoint = useCallback((at: number | undefined) => setPointed(at), [])
  const hasData = [figures.cpu, figures.memory, figures.p50].some((column) => column.some((value) => value !== null))
  if (!hasData)
    return <p className="py-6 text-center text-sm text-ink-soft">No data yet. Metrics appear about a minute after the app starts.</p>
  return (
    <div className="grid gap-x-6 gap-y-5 lg:grid-cols-6">
      {PANELS.filter(({ isTraffic }) => isTraffic !== true || hasDomains(app)).map((panel) => (
        <PanelPlot key={panel.title} {...panel} figures={figures} times={times} marks={marks} pointed={pointed} onPoint={onPoint} />
      ))}
    </div>
  )
}

type PanelProps = Panel & {
  figures: Figures
  times: readonly number[]
  marks: readonly PlotMark[]
  pointed: number | undefined
  onPoint: (at: number | undefined) => void
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const INK = ['text-accent', 'text-good']

function PanelPlot({ title, format, lines, figures, times, marks, pointed, onPoint, isTraffic, ...scale }: PanelProps) {
  const series = useMemo(() => lines.map(({ label, of }) => ({ label, values: of(figures) })), [figures, lines])
  const latest = Math.max(...series.map(({ values }) => values.findLastIndex((value) => value !== null)))
  const at = pointed ?? latest
  const time = times[at]
  const words = series.map(({ label, values }) => {
    const value = values[at]
    return { label, value: typeof value === 'number' ? format(value) : '–' }
  })
  return (
    // Two in a row, or three of the traffic: five plots leave no hole.
    <div className={classNames('min-w-0', isTraffic === true ? 'lg:col-span-2' : 'lg:col-span-3')}>
      <div className="mb-1 flex items-baseline justify-between gap-2 text-[13px] tabular-nums">
        <h3 className="font-medium">{title}</h3>
        <p className="truncate text-ink-soft">
          {pointed !== undefined && time !== undefined && <span className="mr-2 text-ink-faint">{CLOCK.format(time * 1000)}</span>}
          {words.map(({ label, value }, line) => (
            <span key={label} className={words.length > 1 ? `ml-2 ${INK[line] ?? ''}` : ''}>
              {words.length > 1 ? `${label} ${value}` : value}
            </span>
          ))}
        </p>
      </div>
      <Plot
        label={`${title}: ${words.map(({ label, value }) => `${label} ${value}`).join(', ')}`}
        times={times}
        series={series}
        format={format}
        marks={marks}
        together="figures"
        onPoint={onPoint}
        {...scale}
      />
    </div>
  )
}
