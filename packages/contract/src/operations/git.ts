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
    summary: 'List the repositories that a git account can see',
    method: 'POST', path: '/api/git/repos', may: 'user of the git account', body: ReposRequest, answer: Type.Array(Repository),
  }),
  'git.branches': operation({
    summary: 'List the branches of a repository that a git account can see',
    method: 'POST', path: '/api/git/branches', may: 'user of the git account', body: BranchesRequest, answer: Type.Array(Branch),
  }),

  'webhooks.git': operation({
    summary: 'Receive a webhook delivery from a git host',
    method: 'POST', path: '/api/webhooks/git', may: 'signed webhook', query: WebhookQuery, answer: Delivery, bodyLimit: 25 * 1024 * 1024,
  }),
  'git.accounts': operation({
    summary: 'List the git accounts you can use; admins also see that others exist',
    method: 'GET', path: '/api/git/accounts', may: 'signed in', answer: Type.Array(GitAccount),
  }),
  'git.createAccount': operation({
    summary: 'Connect a GitHub, GitLab, Gitea or Forgejo account with an access token, which is checked with the host first',
    method: 'POST', path: '/api/git/accounts/create', may: 'signed in', body: NewGitAccount, answer: GitAccount,
  }),
  'git.checkAccount': operation({
    summary: 'Check with the host whether the account works',
    method: 'POST', path: '/api/git/accounts/check', may: 'user of the git account', body: GitAccountOnly, answer: GitAccount,
  }),
  'git.deleteAccount': operation({
    summary: 'Disconnect an account; with force even if apps use it',
    method: 'DELETE', path: '/api/git/accounts/delete', may: 'owner of the git account', body: GitAccountDeletion, answer: Deleted,
  }),
  'git.githubManifest': operation({
    summary: 'Get what a browser posts to GitHub to create a GitHub App for this server; the state is valid for ten minutes in this session',
    method: 'POST', path: '/api/git/github/manifest', may: 'signed in', body: GitHubManifestRequest, answer: GitHubManifest,
  }),
  'git.githubCreated': operation({
    summary: 'Where GitHub sends the browser after it created an app; redirects to its installation',
    method: 'GET', path: '/api/git/github/created', may: 'signed in', query: GitHubCreatedQuery, shape: 'redirect',
  }),
  'git.githubInstalled': operation({
    summary: 'Where GitHub sends the browser after an installation; redirects to the dashboard',
    method: 'GET', path: '/api/git/github/installed', may: 'signed in', query: GitHubInstalledQuery, shape: 'redirect',
  }),
  'git.connectGitHubApp': operation({
    summary: 'Connect an existing GitHub App by its ID and private key; each of its installations becomes an account',
    method: 'POST', path: '/api/git/github/apps/create', may: 'signed in', body: ExistingGitHubApp, answer: ConnectedGitHubApp,
  }),
  'webhooks.deliveries': operation({
    summary: 'List the webhook deliveries for an app (appId) or an account (accountId), newest first',
    method: 'GET', path: '/api/webhooks/deliveries', may: 'reader of deliveries', query: DeliveriesQuery, answer: Type.Array(DeliverySummary),
  }),
  'webhooks.delivery': operation({
    summary: 'Get a delivery with its headers, without secrets, and its body',
    method: 'GET', path: '/api/webhooks/deliveries/:id', may: 'member of the delivery', params: DeliveryOnly, answer: DeliveryDetails,
  }),
  'webhooks.redeliver': operation({
    summary: 'Process a delivery again; it may deploy again',
    method: 'POST', path: '/api/webhooks/redeliver', may: 'member of the delivery', body: DeliveryOnly, answer: Delivery,
  }),
} as const
