import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Card } from '../../components/card.tsx'
import { Plot } from '../../components/plot.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { percentWords, sizeWords } from '../../lib/sizes.ts'
import { type UsageSample, usage } from './queries.ts'

const EVERY_MS = 3_000

/** CPU and memory of the container since the page was opened. */
export function UsageCard({ app }: { app: Application }) {
  const runs = app.status === 'running'
  const query = useQuery({ ...usage(app.id, EVERY_MS), enabled: runs })
  if (!runs && !query.data)
    return (
      <Card title="Usage">
        <p className="text-sm text-ink-soft">Charts appear when the app is running.</p>
      </Card>
    )
  return (
    <Card title="Usage" note="Measured while this page is open.">
      <QueryView query={query}>{(samples) => <Plots samples={samples} />}</QueryView>
    </Card>
  )
}

function Plots({ samples }: { samples: readonly UsageSample[] }) {
  const times = useMemo(() => samples.map(({ at }) => at), [samples])
  const cpu = useMemo(() => [{ label: 'CPU', values: samples.map((sample) => sample.cpu) }], [samples])
  const memory = useMemo(() => [{ label: 'Memory', values: samples.map((sample) => sample.memory) }], [samples])
  const now = samples.at(-1)
  if (!now) return null
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="min-w-0">
        <p className="mb-1 flex justify-between gap-2 text-[13px]">
          <span className="font-medium">CPU</span>
          <span className="text-ink-soft tabular-nums">{percentWords(now.cpu)}</span>
        </p>
        <Plot label={`CPU: ${percentWords(now.cpu)}`} times={times} series={cpu} format={percentWords} least={5} />
      </div>
      <div className="min-w-0">
        <p className="mb-1 flex justify-between gap-2 text-[13px]">
          <span className="font-medium">Memory</span>
          <span className="text-ink-soft tabular-nums">
            {sizeWords(now.memory)}
            {now.memoryLimit > 0 && ` of ${sizeWords(now.memoryLimit)}`}
          </span>
        </p>
        <Plot label={`Memory: ${sizeWords(now.memory)}`} times={times} series={memory} format={sizeWords} least={1024 * 1024} bytes />
      </div>
    </div>
  )
}
