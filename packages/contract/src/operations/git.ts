import Type from 'typebox'
import { Branch, BranchesRequest, Delivery, Repository, ReposRequest } from '../git.ts'
import { operation } from '../operation.ts'

/** Git providers. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const gitOperations = {
  'git.repos': operation({
    summary: 'List the repositories of a connected git provider',
    method: 'POST', path: '/api/git/repos', may: 'signed in', body: ReposRequest, answer: Type.Array(Repository),
  }),
  'git.branches': operation({
    summary: 'List the branches of a repository',
    method: 'POST', path: '/api/git/branches', may: 'signed in', body: BranchesRequest, answer: Type.Array(Branch),
  }),

  'webhooks.git': operation({
    summary: 'Receive a delivery of a git provider',
    method: 'POST', path: '/api/webhooks/git', may: 'signed webhook', answer: Delivery, bodyLimit: 25 * 1024 * 1024,
  }),
} as const
