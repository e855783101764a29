import { textOf, wholeNumber, wholeNumberOf } from '../arguments.ts'
import { CannotDo, command } from '../command.ts'
import { findApp } from '../find-app.ts'
import { findAccount } from './git.ts'

const list = command({
  usage: 'deliveries [app]',
  summary: 'List the webhook deliveries for an app, or with --account for a git account, and their results',
  options: {
    account: { type: 'string', value: 'account', summary: 'the name or ID of a git account' },
    limit: { type: 'string', value: 'number', summary: 'how many, at most 200' },
    before: { type: 'string', value: 'id', summary: 'only those before this one' },
  },
  async run(ctx, { app }, values) {
    const [limit, before] = [wholeNumberOf(values, 'limit'), wholeNumberOf(values, 'before')]
    const page = { ...(limit !== undefined && { limit }), ...(before !== undefined && { before }) }
    const account = textOf(values, 'account')
    if (app === undefined && account === undefined)
      throw new CannotDo('invalid_request', 'Give an app, or an account with --account.', 'Try: berth deliveries <app>')
    const subject =
      app === undefined ? { accountId: (await findAccount(ctx, account ?? '')).id } : { appId: (await findApp(ctx.api, app)).id }
    const found = await ctx.api('webhooks.deliveries', { ...subject, ...page })
    ctx.out.table(
      ['ID', 'RECEIVED', 'EVENT', 'REPOSITORY', 'BRANCH', 'COMMIT', 'RESULT', 'REASON'],
      found.map((each) => [
        String(each.id),
        each.receivedAt,
        each.event,
        each.repository,
        each.branch,
        each.commit.slice(0, 12),
        each.result,
        each.reason,
      ]),
    )
    ctx.out.json(found)
  },
})

const show = command({
  usage: 'deliveries show <id>',
  summary: 'Show a delivery with its headers and its body',
  async run(ctx, { id }) {
    const found = await ctx.api('webhooks.delivery', { id: wholeNumber(id, 'The ID') })
    ctx.out.line(`${found.event} of ${found.repository}: ${found.result}${found.reason === '' ? '' : ` (${found.reason})`}`)
    for (const [name, value] of Object.entries(found.headers)) ctx.out.line(`${name}: ${value}`)
    ctx.out.line(found.body)
    ctx.out.json(found)
  },
})

const redeliver = command({
  usage: 'deliveries redeliver <id>',
  summary: 'Process a delivery again; it may deploy again',
  async run(ctx, { id }) {
    const answer = await ctx.api('webhooks.redeliver', { id: wholeNumber(id, 'The ID') })
    const outcome = answer.deployments.length === 0 ? answer.reason : `Deployments: ${answer.deployments.join(', ')}`
    ctx.out.line(`${answer.result}. ${outcome}`)
    ctx.out.json(answer)
  },
})

const webhook = command({
  usage: 'apps webhook <app>',
  summary: 'Show whether pushes to the repository of an app reach Berth; fails if the webhook could not be registered',
  async run(ctx, { app }) {
    const state = await ctx.api('apps.webhook', { appId: (await findApp(ctx.api, app)).id })
    ctx.out.line([state.status, state.error, state.warning, state.url].filter((text) => text !== '').join(': '))
    ctx.out.json(state)
    return state.status === 'failed' ? 1 : 0
  },
})

export const deliveries = [list, show, redeliver, webhook]
