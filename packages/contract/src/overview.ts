import Type, { type Static } from 'typebox'
import { Deployment } from './deployments.ts'
import { Domain } from './domains.ts'
import { Health } from './health.ts'

/** What a page that shows every app needs beside their list, in one answer however many there are. */
export const Overview = Type.Object({
  /** The last deployment of each app. */
  newestDeployments: Type.Array(Deployment),
  running: Type.Array(Deployment),
  /** Domains whose DNS or certificate is not right. */
  troubledDomains: Type.Array(Domain),
  health: Health,
})
export type Overview = Static<typeof Overview>
