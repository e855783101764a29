import type { BuildPlan } from '@berth/contract'
import { wholeNumberOf } from '../arguments.ts'
import { CannotDo, type Context, command } from '../command.ts'
import { findApp } from '../find-app.ts'

function show({ out }: Context, plan: BuildPlan): void {
  out.line(`${plan.title} (from ${plan.files.join(', ')})`)
  out.table(
    ['WHAT', 'VALUE', 'FROM'],
    [
      ...plan.versions.map(({ name, version, from }) => [name, version, from]),
      ...plan.commands.map((each) => [`${each.name} command`, each.command, each.from]),
      ...(plan.outputDirectory === '' ? [] : [['output directory', plan.outputDirectory, '']]),
      ...(plan.port === null ? [] : [['port', String(plan.port), '']]),
    ],
  )
  for (const note of plan.notes) out.line(note)
}

export const buildPlan = command({
  usage: 'build-plan <app>',
  summary: 'Show how the newest deployment of an app was built, or the one given with --deployment, and why',
  options: {
    deployment: { type: 'string', value: 'id', summary: 'the ID of a deployment' },
    dockerfile: { type: 'boolean', summary: 'print its Dockerfile only, to keep it as your own' },
  },
  async run(ctx, { app }, values) {
    const found = await findApp(ctx.api, app)
    const [newest] = await ctx.api('deployments.list', { appId: found.id, limit: 1 })
    const id = wholeNumberOf(values, 'deployment') ?? newest?.id
    if (id === undefined) throw new CannotDo('no_release', `${found.name} was not deployed yet.`, `Try: berth deploy ${found.id}`)
    const answer = await ctx.api('deployments.plan', { id })
    if (values['dockerfile'] === true) ctx.out.line(answer.dockerfile.trimEnd())
    else show(ctx, answer)
    ctx.out.json(answer)
  },
})
