import { fieldError } from './app-error.ts'

/**
 * How many objects people can create, so that every list stays small enough for one response, and nobody with somebody else's session can
 * fill the disk. Far above normal use.
 */
export const QUOTAS = {
  projectsOfUser: 200,
  projectsOfStaff: 5000,
  /** Of the server: accounts, and invitations that are open. */
  people: 10_000,
  membersOfProject: 500,
  appsOfProject: 500,
  appsOfUser: 1000,
  /** Each has its own network, as each project does, and there are 4,096 in total (see engine/subnets.ts). */
  composeAppsOfUser: 200,
  /** Of all apps together. */
  replicasOfUser: 2000,
  /** Of the machine, for services of compose apps. Also those that were closed and that a release still has. */
  portsOfUser: 200,
  domainsOfApp: 200,
  domainsOfUser: 2000,
  /** Of a person or a project. */
  gitAccounts: 50,
  /** That one person has added, to whatever projects: each keeps deliveries, and has its turns at its host. */
  gitAccountsAdded: 50,
  gitAccountsAddedByStaff: 1000,
  gitHubAppsAdded: 50,
  gitHubAppsAddedByStaff: 1000,
  registries: 50,
  /** Of the files of all apps. */
  fileBytesOfUser: 64 * 1024 * 1024,
  unfinishedOfApp: 20,
  unfinishedOfUser: 500,
} as const

/** `who` can have at most `most` of `what`. Call it inside the transaction that adds one. */
export function refuseBeyond(most: number, has: number, words: { field: string; who: string; what: string }): void {
  if (has >= most)
    throw fieldError('invalid_request', words.field, `${words.who} can have at most ${most} ${words.what}, and the limit is reached.`)
}
