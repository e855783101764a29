import { fieldError } from './app-error.ts'

/**
 * How much there can be of what people make, so that every list stays short enough to be answered. Far above what is used.
 * Those who run the server may have any number of projects.
 */
export const QUOTAS = {
  projectsOfUser: 200,
  membersOfProject: 500,
  appsOfProject: 500,
  appsOfUser: 1000,
  /** Each has a network of its own, as each project has, and there are 4,096 for everybody (see engine/subnets.ts). */
  composeAppsOfUser: 200,
  domainsOfApp: 200,
  domainsOfUser: 2000,
  gitAccounts: 50,
  unfinishedOfApp: 20,
  unfinishedOfUser: 500,
} as const

/** `who` can have `most` of `what`: asked inside the transaction that adds one. */
export function refuseBeyond(most: number, has: number, words: { field: string; who: string; what: string }): void {
  if (has >= most) throw fieldError('invalid_request', words.field, `${words.who} can have ${most} ${words.what}, and that many are there.`)
}
