import Type, { type Static } from 'typebox'
import { Deployment } from './deployments.ts'
import { Domain } from './domains.ts'
import { Health } from './health.ts'

/** Everything a page with all apps needs besides their list, in one response. */
export const Overview = Type.Object({
  /** The last deployment of each app. */
  newestDeployments: Type.Array(Deployment),
  running: Type.Array(Deployment),
  /** Domains with a DNS or certificate problem. */
  troubledDomains: Type.Array(Domain),
  health: Health,
})
export type Overview = Static<typeof Overview>
