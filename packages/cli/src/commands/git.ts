import type { GitAccount } from '@berth/contract'
import { requiredText, textOf, wholeNumber, YES } from '../arguments.ts'
import { CannotDo, type Context, command } from '../command.ts'
import { inputFrom, optionsFor } from '../contract-input.ts'
import { readText } from '../files.ts'
import { findApp, findProject } from '../find-app.ts'

const ACCOUNT = {
  provider: { field: 'provider', value: 'name', summary: 'github, gitlab, gitea or forgejo' },
  url: { field: 'baseUrl', value: 'address', summary: 'the address of the host (default: the public one, such as https://github.com)' },
  name: { field: 'name', value: 'name', summary: 'a name for the account (default: its name at the host)' },
} as const
const SEARCH = { search: { type: 'string', value: 'text', summary: 'only those whose name contains this' } } as const

/** By its ID, or by its name if it is unique. */
export async function findAccount(ctx: Context, nameOrId: string): Promise<GitAccount> {
  const all = await ctx.api('git.accounts')
  const found = all.filter(({ id, name }) => String(id) === nameOrId || name.toLowerCase() === nameOrId.toLowerCase())
  const [only] = found
  if (!only) throw new CannotDo('git_not_connected', `There is no git account ${nameOrId}.`, 'Try: berth git accounts')
  if (found.length > 1)
    throw new CannotDo('ambiguous', `Several git accounts are called ${nameOrId}; use the ID.`, 'Try: berth git accounts')
  return only
}

function belongsTo({ projectId }: GitAccount): string {
  return projectId === null ? 'a person' : `project ${projectId}`
}

const list = command({
  usage: 'git accounts',
  summary: 'List the connected git accounts',
  async run(ctx) {
    const accounts = await ctx.api('git.accounts')
    ctx.out.table(
      ['ID', 'NAME', 'PROVIDER', 'HOST', 'OWNER', 'STATUS', 'APPS'],
      accounts.map((each) => [String(each.id), each.name, each.provider, each.baseUrl, belongsTo(each), each.status, String(each.apps)]),
    )
    for (const { id, name, error, warning } of accounts)
      for (const text of [error, warning]) if (text !== '') ctx.out.line(`${name} (id ${id}): ${text}`)
    ctx.out.json(accounts)
  },
})

const connect = command({
  usage: 'git accounts connect',
  summary: 'Connect a git account with an access token; asks for the token, or reads it from standard input',
  options: {
    ...optionsFor(ACCOUNT),
    project: { type: 'string', short: 'p', value: 'project', summary: 'a project whose members can all use it (default: only you)' },
  },
  async run(ctx, _args, values) {
    requiredText(values, 'provider')
    const fields = inputFrom('git.createAccount', ACCOUNT, values)
    const project = textOf(values, 'project')
    const projectId = project === undefined ? null : (await findProject(ctx.api, project)).id
    const token = (await ctx.prompt.secret('Access token: ')).trim()
    const account = await ctx.api('git.createAccount', { provider: 'github', ...fields, token, projectId })
    ctx.out.line(`Git account ${account.name} connected (id ${account.id}). Next: berth git repos ${account.id}`)
    ctx.out.json(account)
  },
})

const connectGitHubApp = command({
  usage: 'git apps connect <app-id>',
  summary: 'Connect an existing GitHub App; asks for its webhook secret, or reads it from standard input',
  options: {
    key: { type: 'string', value: 'file', summary: 'the .pem file with the private key of the app' },
    url: { type: 'string', value: 'address', summary: 'the address of GitHub Enterprise (default: https://github.com)' },
    project: { type: 'string', short: 'p', value: 'project', summary: 'a project whose members can all use it (default: only you)' },
  },
  async run(ctx, { 'app-id': given }, values) {
    const appId = wholeNumber(given, 'The ID of the app')
    const privateKey = readText(requiredText(values, 'key'))
    const [baseUrl, project] = [textOf(values, 'url'), textOf(values, 'project')]
    const projectId = project === undefined ? null : (await findProject(ctx.api, project)).id
    const webhookSecret = (await ctx.prompt.secret('Webhook secret: ')).trim()
    const app = { appId, privateKey, webhookSecret, projectId, ...(baseUrl !== undefined && { baseUrl }) }
    const answer = await ctx.api('git.connectGitHubApp', app)
    ctx.out.table(
      ['ID', 'INSTALLED BY', 'STATUS'],
      answer.accounts.map(({ id, name, status }) => [String(id), name, status]),
    )
    ctx.out.line(`Set the webhook of the app at GitHub to ${answer.webhookUrl}`)
    ctx.out.json(answer)
  },
})

const check = command({
  usage: 'git accounts check <account>',
  summary: 'Check with the host that a git account works; fails if it does not',
  async run(ctx, { account: nameOrId }) {
    const account = await ctx.api('git.checkAccount', { id: (await findAccount(ctx, nameOrId)).id })
    ctx.out.line(account.status === 'ok' ? `${account.name} works.` : account.error)
    ctx.out.json(account)
    return account.status === 'ok' ? 0 : 1
  },
})

const remove = command({
  usage: 'git accounts delete <account>',
  summary: 'Disconnect a git account; asks first',
  options: { ...YES, force: { type: 'boolean', summary: 'even if apps use it' } },
  async run(ctx, { account: nameOrId }, values) {
    const { id, name, via } = await findAccount(ctx, nameOrId)
    await ctx.prompt.confirm(name, values['yes'] === true)
    const answer = await ctx.api('git.deleteAccount', { id, force: values['force'] === true })
    ctx.out.line(`Git account ${name} disconnected. ${via === 'app' ? 'Uninstall the app' : 'Revoke its token'} at the host too.`)
    ctx.out.json(answer)
  },
})

const repos = command({
  usage: 'git repos <account>',
  summary: 'List the repositories that a git account can see',
  options: SEARCH,
  async run(ctx, { account: nameOrId }, values) {
    const { id: installationId } = await findAccount(ctx, nameOrId)
    const found = await ctx.api('git.repos', { installationId, search: textOf(values, 'search') ?? '' })
    ctx.out.table(
      ['REPOSITORY', 'DEFAULT BRANCH', 'PRIVATE', 'UPDATED'],
      found.map((each) => [each.fullName, each.defaultBranch, each.private ? 'yes' : 'no', each.updatedAt]),
    )
    ctx.out.json(found)
  },
})

const branches = command({
  usage: 'git branches <account> <repository>',
  summary: 'List the branches of a repository',
  options: SEARCH,
  async run(ctx, { account: nameOrId, repository }, values) {
    const { id: installationId } = await findAccount(ctx, nameOrId)
    const found = await ctx.api('git.branches', { installationId, repoFullName: repository, search: textOf(values, 'search') ?? '' })
    ctx.out.table(
      ['BRANCH', 'COMMIT', 'PROTECTED'],
      found.map((each) => [each.name, each.commit.slice(0, 12), each.protected ? 'yes' : 'no']),
    )
    ctx.out.json(found)
  },
})

const connectApp = command({
  usage: 'apps connect <app> <repository>',
  summary: 'Deploy an app from a repository of a git account',
  options: {
    account: { type: 'string', value: 'account', summary: 'the name or ID of the git account' },
    branch: { type: 'string', value: 'name', summary: 'the branch (default: the default branch)' },
  },
  async run(ctx, { app: nameOrId, repository }, values) {
    const [app, account] = [await findApp(ctx.api, nameOrId), await findAccount(ctx, requiredText(values, 'account'))]
    const source = { gitProviderId: account.id, gitRepository: repository, gitBranch: textOf(values, 'branch') ?? '' }
    const answer = await ctx.api('apps.update', { appId: app.id, ...source })
    ctx.out.line(`App ${answer.name} deploys from ${answer.git_repository}. Next: berth deploy ${answer.slug}`)
    ctx.out.json(answer)
  },
})

export const git = [list, connect, connectGitHubApp, check, remove, repos, branches, connectApp]
