import type { Deployment } from '@berth/contract'
import { textOf, wholeNumber, wholeNumberOf } from '../arguments.ts'
import { CannotDo, type Context, command } from '../command.ts'
import { inputFrom, optionsFor } from '../contract-input.ts'
import { findApp } from '../find-app.ts'
import { followDeployment } from '../follow-deployment.ts'

const FILTER = {
  limit: { field: 'limit', value: 'number', summary: 'how many' },
  before: { field: 'before', value: 'id', summary: 'only those before the deployment with this id' },
  status: { field: 'status', value: 'status', summary: 'only those with this status' },
  search: { field: 'search', value: 'text', summary: 'only those whose commit hash, message or author contains this' },
} as const
const DETACH = { detach: { type: 'boolean', short: 'd', summary: 'do not wait for it to finish' } } as const

function sayQueued(ctx: Context, deployment: Deployment, appName?: string): void {
  const follow = `berth logs --deployment ${deployment.id}`
  const ofApp = appName === undefined ? '' : ` of ${appName}`
  ctx.out.line(`Deployment ${deployment.deployment_number}${ofApp} is queued. Follow it with: ${follow}`)
  ctx.out.json(deployment)
}

export const deploy = command({
  usage: 'deploy <app>',
  summary: 'Deploy the newest commit of an app, or the one given with --commit, and follow the deployment until it finishes',
  options: {
    commit: { type: 'string', value: 'hash', summary: 'the hash of the commit to deploy' },
    'no-cache': { type: 'boolean', summary: 'build every step again' },
    ...DETACH,
  },
  async run(ctx, { app }, values) {
    const { id: appId, name } = await findApp(ctx.api, app)
    const commit = textOf(values, 'commit')
    const deployment = await ctx.api('deployments.create', {
      appId,
      withoutCache: values['no-cache'] === true,
      ...(commit !== undefined && { commit }),
    })
    if (values['detach'] !== true) return await followDeployment(ctx, deployment.id)
    sayQueued(ctx, deployment, name)
    return 0
  },
})

export const rollback = command({
  usage: 'rollback <app>',
  summary: 'Roll back to the previous release, or to the one given with --to',
  options: { to: { type: 'string', value: 'number', summary: 'the number of the deployment to roll back to' }, ...DETACH },
  async run(ctx, { app }, values) {
    const found = await findApp(ctx.api, app)
    const number = wholeNumberOf(values, 'to')
    const list = await ctx.api('deployments.list', { appId: found.id })
    const target = list.find((deployment) => (number === undefined ? deployment.can_roll_back : deployment.deployment_number === number))
    if (!target) {
      const message = number === undefined ? 'There is no earlier release to roll back to.' : `There is no deployment ${number}.`
      throw new CannotDo('no_release', message, `Try: berth deployments ${found.id}`)
    }
    const deployment = await ctx.api('deployments.rollback', { deploymentId: target.id })
    if (values['detach'] !== true) return await followDeployment(ctx, deployment.id)
    sayQueued(ctx, deployment, found.name)
    return 0
  },
})

function show(ctx: Context, deployments: readonly Deployment[]): void {
  const rows = deployments.map((deployment) => [
    String(deployment.deployment_number),
    String(deployment.id),
    deployment.is_active ? `${deployment.status} (live)` : deployment.status,
    deployment.commit_hash.slice(0, 8),
    deployment.created_at,
    (deployment.error_message || deployment.commit_message).split('\n')[0] ?? '',
  ])
  ctx.out.table(['NUMBER', 'ID', 'STATUS', 'COMMIT', 'CREATED', 'MESSAGE'], rows)
  ctx.out.json(deployments)
}

export const list = command({
  usage: 'deployments <app>',
  summary: 'List the deployments of an app, newest first',
  options: optionsFor(FILTER),
  async run(ctx, { app }, values) {
    const { id: appId } = await findApp(ctx.api, app)
    show(ctx, await ctx.api('deployments.list', { ...inputFrom('deployments.list', FILTER, values), appId }))
  },
})

export const running = command({
  usage: 'deployments running',
  summary: 'List the deployments that are queued or running now, of all apps you can see',
  async run(ctx) {
    show(ctx, await ctx.api('deployments.running'))
  },
})

export const cancel = command({
  usage: 'deployments cancel <id>',
  summary: 'Cancel a deployment that is queued or running',
  async run(ctx, { id }) {
    const deployment = await ctx.api('deployments.stop', { deploymentId: wholeNumber(id, '<id>') })
    ctx.out.line(`Deployment ${deployment.deployment_number} cancelled.`)
    ctx.out.json(deployment)
  },
})

export const compare = command({
  usage: 'deployments compare <from> <to>',
  summary: 'Compare two deployments of an app: settings, and variables by name',
  async run(ctx, { from, to }) {
    const wanted = { deploymentId: wholeNumber(from, '<from>'), withId: wholeNumber(to, '<to>') }
    const found = await ctx.api('deployments.compare', wanted)
    for (const id of found.notKept) ctx.out.line(`The settings of deployment ${id} are no longer kept.`)
    ctx.out.table(
      ['WHAT', 'BEFORE', 'AFTER'],
      [
        ...found.settings.map(({ name, before, after }) => [name, before || '-', after || '-']),
        ...found.environment.map(({ key, is }) => [key, '', is]),
      ],
    )
    ctx.out.json(found)
  },
})

export const fix = command({
  usage: 'deployments fix <id> [suggestion]',
  summary: 'List the fixes that a failed deployment suggests, or apply one and deploy',
  options: DETACH,
  async run(ctx, { id, suggestion }, values) {
    const deploymentId = wholeNumber(id, '<id>')
    if (suggestion === undefined) {
      const { suggestions = [] } = await ctx.api('deployments.get', { id: deploymentId })
      ctx.out.table(
        ['SUGGESTION', 'WHAT IT DOES'],
        suggestions.map((each) => [each.id, each.title]),
      )
      ctx.out.json(suggestions)
      return 0
    }
    const deployment = await ctx.api('deployments.applySuggestion', { deploymentId, suggestionId: suggestion })
    if (values['detach'] !== true) return await followDeployment(ctx, deployment.id)
    sayQueued(ctx, deployment)
    return 0
  },
})
