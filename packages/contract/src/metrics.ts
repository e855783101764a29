import Type, { type Static } from 'typebox'
import { Id, Nullable, OneOf, Time } from './fields.ts'

const usage = Type.Object({ used: Type.Number(), total: Type.Number(), percent: Type.Number() })

export const ServerMetrics = Type.Object({
  cpu: Type.Object({ usage: Type.Number(), cores: Type.Integer() }),
  memory: usage,
  disk: usage,
  load: Type.Array(Type.Number()),
  network: Type.Object({ rx: Type.Number(), tx: Type.Number() }),
  docker: Type.Object({ containers_running: Type.Integer(), containers_total: Type.Integer(), images: Type.Integer() }),
})
export type ServerMetrics = Static<typeof ServerMetrics>

/** The data of the plots: the fields of `ServerMetrics` without those only needed for the newest sample. */
export const MetricsPoint = Type.Object({
  at: Time,
  cpu: Type.Object({ usage: Type.Number() }),
  memory: Type.Object({ percent: Type.Number() }),
  disk: Type.Object({ percent: Type.Number() }),
  load: Type.Array(Type.Number()),
  network: Type.Object({ rx: Type.Number(), tx: Type.Number() }),
})
export type MetricsPoint = Static<typeof MetricsPoint>

/** Oldest first. Kept in memory, so it starts over when the server does: `since` says when. */
export const MetricsHistory = Type.Object({ since: Time, everySeconds: Type.Integer(), points: Type.Array(MetricsPoint) })
export type MetricsHistory = Static<typeof MetricsHistory>

export const Traffic = Type.Object({
  requests: Type.Integer(),
  byStatus: Type.Record(Type.String(), Type.Integer()),
  bytes: Type.Integer(),
  p50Ms: Type.Number(),
  p99Ms: Type.Number(),
  since: Type.String(),
})
export type Traffic = Static<typeof Traffic>

const FIGURES_RANGES = ['1h', '6h', '24h'] as const
export type FiguresRange = (typeof FIGURES_RANGES)[number]
export const FiguresQuery = Type.Object({ appId: Id, range: Type.Optional(OneOf(FIGURES_RANGES)) })

const Column = Type.Array(Nullable(Type.Number()))
/**
 * What an app used and served, in steps of `everySeconds` from `from` on; null if nothing was measured. `cpu` is in percent of one core,
 * `memory` in bytes, `requests` and `errors` (5xx responses) are per second, `p50` and `p99` in milliseconds.
 */
export const Figures = Type.Object({
  from: Time,
  everySeconds: Type.Integer(),
  cpu: Column,
  memory: Column,
  requests: Column,
  errors: Column,
  p50: Column,
  p99: Column,
})
export type Figures = Static<typeof Figures>

/** The last hour in steps of two minutes. */
export const AppGlance = Type.Object({ appId: Id, cpu: Column })
export type AppGlance = Static<typeof AppGlance>
