import { sizeWords } from '@berth/contract'
import { type ReactNode, useMemo } from 'react'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { Plot, type PlotSeries } from '../../components/plot.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { useSearchState } from '../../lib/route-state.ts'
import { percentWords, plural } from '../../lib/sizes.ts'
import { KEPT_SECONDS, type MetricsSample, type MetricsView, type PlotPoint, pointsOf, secondsOf } from '../../shared/metrics-feed.ts'

const rate = (bytes: number): string => `${sizeWords(bytes)}/s`
const loadWords = (load: number): string => load.toFixed(2)

const SPANS = [
  { value: '5m', label: '5 min' },
  { value: '1h', label: '1 hour' },
] as const
const SPAN = {
  '5m': { seconds: 300, words: 'the last 5 minutes' },
  '1h': { seconds: KEPT_SECONDS, words: 'the last hour' },
} as const

/** CPU, memory, network, load and disk of the server, live. */
export function ServerPlots({ view }: { view: MetricsView }) {
  const { samples: heard, history, state } = view
  const now = heard.at(-1)
  const [picked, pick] = useSearchState('span')
  const span = picked === '5m' ? '5m' : '1h'
  const { seconds, words } = SPAN[span]
  const samples = useMemo(() => within(pointsOf({ samples: heard, history }), seconds), [heard, history, seconds])
  const drawn = { samples, span: words }
  const shares = { ...drawn, max: 100, format: percentWords }
  return (
    <Card
      title="Server"
      lastOnPhone
      note={
        now
          ? `${plural(now.cpu.cores, 'core')}, ${sizeWords(now.memory.total)} memory, ${plural(now.docker.containers_running, 'container')} running`
          : 'Waiting for data…'
      }
      actions={<Segmented label="Time range" value={span} options={SPANS} onPick={(next) => pick(next === '1h' ? '' : next)} />}
    >
      {state === 'waiting' && heard.length > 0 && <Notice tone="warn">No live data. Reconnecting…</Notice>}
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        <Panel title="CPU" value={now && percentWords(now.cpu.usage)} lines={CPU} {...shares} />
        <Panel
          title="Memory"
          value={now && `${sizeWords(now.memory.used)} (${percentWords(now.memory.percent)})`}
          lines={MEMORY}
          {...shares}
        />
        <Panel title="Load" value={now?.load.map(loadWords).join(' · ')} lines={LOAD} format={loadWords} {...drawn} />
        <Panel title="Network" value={now && <Rates network={now.network} />} lines={NETWORK} least={8192} bytes format={rate} {...drawn} />
        <Panel title="Disk" value={now && `${sizeWords(now.disk.used)} of ${sizeWords(now.disk.total)}`} lines={DISK} {...shares} />
        {now && <EngineFigures docker={now.docker} />}
      </div>
      <Beginning since={history?.since} points={samples} span={seconds} />
    </Card>
  )
}

function Rates({ network: { rx, tx } }: Pick<MetricsSample, 'network'>) {
  return (
    <>
      <span className="text-accent">in {rate(rx)}</span> <span className="text-good">out {rate(tx)}</span>
    </>
  )
}

function within(points: readonly PlotPoint[], seconds: number): readonly PlotPoint[] {
  const from = (points.at(-1)?.at ?? 0) - seconds
  return points.filter(({ at }) => at >= from)
}

/** Explains why the plots start later than the selected range. */
function Beginning({ since, points, span }: { since: string | undefined; points: readonly PlotPoint[]; span: number }) {
  const [first, last] = [points[0], points.at(-1)]
  if (since === undefined || !first || !last || last.at - secondsOf(since) >= span || first.at < secondsOf(since)) return null
  return (
    <p className="mt-3 text-[13px] text-ink-soft">
      Berth started <RelativeTime at={since} />. It keeps metrics in memory for an hour, so the charts start there.
    </p>
  )
}

function EngineFigures({ docker }: Pick<MetricsSample, 'docker'>) {
  const figures = [
    { label: 'running', count: docker.containers_running },
    { label: 'containers', count: docker.containers_total },
    { label: 'images', count: docker.images },
  ]
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-[13px] font-medium">Docker</h3>
      <div className="grid h-30 grid-cols-3 items-center rounded-md bg-sunken text-center">
        {figures.map(({ label, count }) => (
          <p key={label}>
            <span className="block text-2xl font-semibold tabular-nums">{count}</span>
            <span className="text-[13px] text-ink-soft">{label}</span>
          </p>
        ))}
      </div>
    </div>
  )
}

type Line = { label: string; of: (sample: PlotPoint) => number }

const CPU: readonly Line[] = [{ label: 'CPU', of: ({ cpu }) => cpu.usage }]
const MEMORY: readonly Line[] = [{ label: 'Memory', of: ({ memory }) => memory.percent }]
const LOAD: readonly Line[] = [{ label: 'Load', of: ({ load }) => load[0] ?? 0 }]
const NETWORK: readonly Line[] = [
  { label: 'In', of: ({ network }) => network.rx },
  { label: 'Out', of: ({ network }) => network.tx },
]
const DISK: readonly Line[] = [{ label: 'Disk', of: ({ disk }) => disk.percent }]

type PanelProps = {
  title: string
  value: ReactNode
  samples: readonly PlotPoint[]
  span: string
  lines: readonly Line[]
  format: (value: number) => string
  max?: number
  least?: number
  bytes?: boolean
}

function Panel({ title, value, samples, span, lines, ...scale }: PanelProps) {
  const times = useMemo(() => samples.map(({ at }) => at), [samples])
  const series = useMemo<PlotSeries[]>(() => lines.map(({ label, of }) => ({ label, values: samples.map(of) })), [samples, lines])
  return (
    <div className="min-w-0">
      <div className="mb-1 flex items-baseline justify-between gap-2 text-[13px]">
        <h3 className="font-medium">{title}</h3>
        <span className="truncate text-ink-soft tabular-nums">{value ?? 'waiting…'}</span>
      </div>
      <Plot label={`${title} over ${span}`} times={times} series={series} {...scale} />
    </div>
  )
}
