import Type, { type Static } from 'typebox'

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

export const Traffic = Type.Object({
  requests: Type.Integer(),
  byStatus: Type.Record(Type.String(), Type.Integer()),
  bytes: Type.Integer(),
  p50Ms: Type.Number(),
  p99Ms: Type.Number(),
  since: Type.String(),
})
export type Traffic = Static<typeof Traffic>
