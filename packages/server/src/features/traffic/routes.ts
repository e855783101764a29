import type { Traffic } from '@berth/contract'
import { appKey } from '../../edge/edge.ts'
import type { AccessSnapshot } from '../../edge/traffic/access-counts.ts'
import type { Handlers } from '../../http/implement.ts'

export type TrafficSource = { snapshot(key: string): AccessSnapshot }

function present(seen: AccessSnapshot): Traffic {
  return {
    requests: seen.requests,
    byStatus: { ...seen.statuses },
    bytes: seen.bytesIn + seen.bytesOut,
    p50Ms: seen.p50Ms ?? 0,
    p99Ms: seen.p99Ms ?? 0,
    since: seen.since.toISOString(),
  }
}

export function trafficHandlers(traffic: TrafficSource) {
  return { 'apps.traffic': ({ app }) => present(traffic.snapshot(appKey(app.id))) } satisfies Partial<Handlers>
}
