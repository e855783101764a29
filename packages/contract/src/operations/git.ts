import Type from 'typebox'
import {
  Branch,
  BranchesRequest,
  ConnectedGitHubApp,
  DeliveriesQuery,
  Delivery,
  DeliveryDetails,
  DeliveryOnly,
  DeliverySummary,
  ExistingGitHubApp,
  GitAccount,
  GitAccountDeletion,
  GitAccountOnly,
  GitHubCreatedQuery,
  GitHubInstalledQuery,
  GitHubManifest,
  GitHubManifestRequest,
  NewGitAccount,
  Repository,
  ReposRequest,
  WebhookQuery,
} from '../git.ts'
import { Deleted } from '../ids.ts'
import { operation } from '../operation.ts'

/** Git providers. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const gitOperations = {
  'git.repos': operation({
    summary: 'Repositories that a connected git account can see',
    method: 'POST', path: '/api/git/repos', may: 'user of the git account', body: ReposRequest, answer: Type.Array(Repository),
  }),
  'git.branches': operation({
    summary: 'Branches of a repository that a connected git account can see',
    method: 'POST', path: '/api/git/branches', may: 'user of the git account', body: BranchesRequest, answer: Type.Array(Branch),
  }),

  'webhooks.git': operation({
    summary: 'Deliveries of a git provider',
    method: 'POST', path: '/api/webhooks/git', may: 'signed webhook', query: WebhookQuery, answer: Delivery, bodyLimit: 25 * 1024 * 1024,
  }),
  'git.accounts': operation({
    summary: 'The git accounts that the caller may use; admins see that the others are there',
    method: 'GET', path: '/api/git/accounts', may: 'signed in', answer: Type.Array(GitAccount),
  }),
  'git.createAccount': operation({
    summary: 'Connect an account of GitHub, GitLab, Gitea or Forgejo by an access token, which is tried at the host first',
    method: 'POST', path: '/api/git/accounts/create', may: 'signed in', body: NewGitAccount, answer: GitAccount,
  }),
  'git.checkAccount': operation({
    summary: 'Ask the host now whether the account works',
    method: 'POST', path: '/api/git/accounts/check', may: 'user of the git account', body: GitAccountOnly, answer: GitAccount,
  }),
  'git.deleteAccount': operation({
    summary: 'Disconnect an account; with force also when apps use it',
    method: 'DELETE', path: '/api/git/accounts/delete', may: 'owner of the git account', body: GitAccountDeletion, answer: Deleted,
  }),
  'git.githubManifest': operation({
    summary: 'What a browser posts to GitHub to create a GitHub App for this server; the state is good for ten minutes in this session',
    method: 'POST', path: '/api/git/github/manifest', may: 'signed in', body: GitHubManifestRequest, answer: GitHubManifest,
  }),
  'git.githubCreated': operation({
    summary: 'Where GitHub sends the browser with a new app; leads on to its installation',
    method: 'GET', path: '/api/git/github/created', may: 'signed in', query: GitHubCreatedQuery, shape: 'redirect',
  }),
  'git.githubInstalled': operation({
    summary: 'Where GitHub sends the browser after an installation; leads back to the dashboard',
    method: 'GET', path: '/api/git/github/installed', may: 'signed in', query: GitHubInstalledQuery, shape: 'redirect',
  }),
  'git.connectGitHubApp': operation({
    summary: 'Connect a GitHub App that exists already, by its id and private key; each of its installations becomes an account',
    method: 'POST', path: '/api/git/github/apps/create', may: 'signed in', body: ExistingGitHubApp, answer: ConnectedGitHubApp,
  }),
  'webhooks.deliveries': operation({
    summary: 'What git hosts have delivered for an app (appId) or an account (accountId), newest first',
    method: 'GET', path: '/api/webhooks/deliveries', may: 'reader of deliveries', query: DeliveriesQuery, answer: Type.Array(DeliverySummary),
  }),
  'webhooks.delivery': operation({
    summary: 'One delivery with its headers, without secrets, and its body',
    method: 'GET', path: '/api/webhooks/deliveries/:id', may: 'member of the delivery', params: DeliveryOnly, answer: DeliveryDetails,
  }),
  'webhooks.redeliver': operation({
    summary: 'Judge a delivery again now, which may deploy again',
    method: 'POST', path: '/api/webhooks/redeliver', may: 'member of the delivery', body: DeliveryOnly, answer: Delivery,
  }),
} as const
