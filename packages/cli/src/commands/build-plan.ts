import type { BuildPlan, PlannedBuild } from '@berth/contract'
import { wholeNumberOf } from '../arguments.ts'
import { CannotDo, type Context, command, type ExitCode } from '../command.ts'
import { findApp } from '../find-app.ts'

type How = { onlyDockerfile: boolean }

export const DOCKERFILE_ONLY = {
  dockerfile: { type: 'boolean', summary: 'print the Dockerfile only, to keep it as your own' },
} as const

function show({ out }: Context, plan: BuildPlan, { onlyDockerfile }: How): void {
  if (onlyDockerfile) return out.line(plan.dockerfile.trimEnd())
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

/** What a deployment would build. Fails if it would fail. */
export function showPlanned(ctx: Context, { plan, problem }: PlannedBuild, how: How): ExitCode {
  if (plan === null) ctx.out.line(problem)
  else show(ctx, plan, how)
  ctx.out.json({ plan, problem })
  return plan === null ? 1 : 0
}

export const buildPlan = command({
  usage: 'build-plan <app>',
  summary: 'Show how the newest deployment of an app was built, or the one given with --deployment, and why',
  options: {
    deployment: { type: 'string', value: 'id', summary: 'the ID of a deployment' },
    ...DOCKERFILE_ONLY,
  },
  async run(ctx, { app }, values) {
    const found = await findApp(ctx.api, app)
    const [newest] = await ctx.api('deployments.list', { appId: found.id, limit: 1 })
    const id = wholeNumberOf(values, 'deployment') ?? newest?.id
    if (id === undefined) throw new CannotDo('no_release', `${found.name} has not been deployed yet.`, `Try: berth plan ${found.id}`)
    const answer = await ctx.api('deployments.plan', { id })
    show(ctx, answer, { onlyDockerfile: values['dockerfile'] === true })
    ctx.out.json(answer)
  },
})
