import { type ReactNode, useMemo } from 'react'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { Plot, type PlotSeries } from '../../components/plot.tsx'
import { percentWords, plural, sizeWords } from '../../lib/sizes.ts'
import { type MetricsSample, type MetricsView } from './metrics-feed.ts'

const rate = (bytes: number): string => `${sizeWords(bytes)}/s`
const loadWords = (load: number): string => load.toFixed(2)

/** Processor, memory, network, load and disk of the server, live. */
export function ServerPlots({ view }: { view: MetricsView }) {
  const { samples, state } = view
  const now = samples.at(-1)
  return (
    <Card
      title="Server"
      lastOnPhone
      note={
        now
          ? `${plural(now.cpu.cores, 'core')}, ${sizeWords(now.memory.total)} memory, ${plural(now.docker.containers_running, 'container')} running`
          : 'Waiting for the first figures…'
      }
    >
      {state === 'waiting' && samples.length > 0 && <Notice tone="warn">The figures have stopped; trying to connect again…</Notice>}
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        <Panel title="Processor" value={now && percentWords(now.cpu.usage)} samples={samples} max={100} format={percentWords} lines={CPU} />
        <Panel
          title="Memory"
          value={now && `${sizeWords(now.memory.used)} (${percentWords(now.memory.percent)})`}
          samples={samples}
          max={100}
          format={percentWords}
          lines={MEMORY}
        />
        <Panel title="Load" value={now?.load.map(loadWords).join(' · ')} samples={samples} format={loadWords} lines={LOAD} />
        <Panel
          title="Network"
          value={
            now && (
              <>
                <span className="text-accent">in {rate(now.network.rx)}</span> <span className="text-good">out {rate(now.network.tx)}</span>
              </>
            )
          }
          samples={samples}
          least={8192}
          bytes
          format={rate}
          lines={NETWORK}
        />
        <Panel
          title="Disk"
          value={now && `${sizeWords(now.disk.used)} of ${sizeWords(now.disk.total)}`}
          samples={samples}
          max={100}
          format={percentWords}
          lines={DISK}
        />
        {now && <EngineFigures docker={now.docker} />}
      </div>
    </Card>
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
      <h3 className="mb-1 text-[13px] font-medium">Engine</h3>
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

type Line = { label: string; of: (sample: MetricsSample) => number }

const CPU: readonly Line[] = [{ label: 'Processor', of: ({ cpu }) => cpu.usage }]
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
  samples: readonly MetricsSample[]
  lines: readonly Line[]
  format: (value: number) => string
  max?: number
  least?: number
  bytes?: boolean
}

function Panel({ title, value, samples, lines, ...scale }: PanelProps) {
  const times = useMemo(() => samples.map(({ at }) => at), [samples])
  const series = useMemo<PlotSeries[]>(() => lines.map(({ label, of }) => ({ label, values: samples.map(of) })), [samples, lines])
  return (
    <div className="min-w-0">
      <div className="mb-1 flex items-baseline justify-between gap-2 text-[13px]">
        <h3 className="font-medium">{title}</h3>
        <span className="truncate text-ink-soft tabular-nums">{value ?? 'waiting…'}</span>
      </div>
      <Plot label={`${title} over the last minutes`} times={times} series={series} {...scale} />
    </div>
  )
}
