import { args, cmd, dockerfile, run, startArgv } from '../dockerfile-text.ts'
import { type BuildInput, chosen, type DetectedPlan } from '../plan.ts'
import { BuildProblem, nameIn, type Project } from '../project.ts'
import { APP_USER, plainPlan, type Version } from './plain-plan.ts'

export function detectElixir(project: Project, input: BuildInput): DetectedPlan | null {
  if (!project.has('mix.exs')) return null
  const mix = project.read('mix.exs')
  const name = /\bapp:\s{0,10}:([a-z][a-z0-9_]{0,60})/.exec(mix)?.[1]
  const isPhoenix = mix.includes(':phoenix,')
  const version = elixirVersion(project, mix)
  const { overrides } = input
  if (name === undefined && overrides.start.text === '')
    throw new BuildProblem(`${nameIn(project, 'mix.exs')} does not name an app. Set Settings → Start command, then deploy again.`)
  const install = chosen(overrides.install, 'mix deps.get --only prod && mix deps.compile', nameIn(project, 'mix.exs'))
  const hasAssets = isPhoenix && mix.includes('assets.deploy')
  const build = chosen(
    overrides.build,
    `mix compile && ${hasAssets ? 'mix assets.deploy && ' : ''}mix release --path /out`,
    nameIn(project, 'mix.exs'),
  )
  const start = chosen(overrides.start, `/app/bin/${name} start`, nameIn(project, 'mix.exs'))
  const image = `elixir:${version.version}-slim`
  const port = input.port ?? 4000
  return plainPlan(project, input, {
    kind: 'elixir',
    title: `${isPhoenix ? 'Phoenix, ' : ''}Elixir ${version.version}`,
    files: ['mix.exs', 'mix.lock', '.tool-versions', 'Procfile'],
    versions: [version],
    commands: { install, build, start },
    dockerfile: dockerfile(
      [
        `FROM ${image} AS build`,
        'WORKDIR /src',
        run('apt-get update && apt-get install -y --no-install-recommends build-essential git && rm -rf /var/lib/apt/lists/*'),
        'ENV MIX_ENV=prod',
        run('mix local.hex --force && mix local.rebar --force'),
        'COPY . .',
        ...args(input.buildArgs),
        run(install.text, ['target=/root/.cache/hex', 'target=/root/.hex/packages']),
        run(build.text),
      ],
      [
        `FROM ${image}`,
        APP_USER,
        `ENV LANG=C.UTF-8 MIX_ENV=prod PHX_SERVER=true PORT=${port}`,
        'WORKDIR /app',
        'COPY --from=build --chown=app:app /out/ /app/',
        'USER app',
        ...(input.port === null ? [] : [`EXPOSE ${input.port}`]),
        cmd(startArgv(start.text)),
      ],
    ),
  })
}

function elixirVersion(project: Project, mix: string): Version {
  const tools = project.read('.tool-versions').split('\n')
  const tool = tools.map((line) => /^elixir (\d+\.\d+)/.exec(line.trim())?.[1]).find((found) => found !== undefined)
  if (tool !== undefined) return { name: 'Elixir', version: tool, from: nameIn(project, '.tool-versions') }
  const exact = /\belixir:\s{0,10}"(?:== )?(\d+\.\d+)(?:\.\d+)?"/.exec(mix)?.[1]
  return exact === undefined
    ? { name: 'Elixir', version: '1.18', from: 'the default' }
    : { name: 'Elixir', version: exact, from: nameIn(project, 'mix.exs') }
}
