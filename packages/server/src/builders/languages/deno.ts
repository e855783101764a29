import { args, cmd, dockerfile, run, startArgv } from '../dockerfile-text.ts'
import { type BuildInput, chosen, type DetectedPlan } from '../plan.ts'
import { BuildProblem, nameIn, type Project } from '../project.ts'
import { plainPlan } from './plain-plan.ts'

const CONFIGS = ['deno.json', 'deno.jsonc']
const START_TASK = /"start"\s{0,20}:\s{0,20}"/
const BUILD_TASK = /"build"\s{0,20}:\s{0,20}"/
const MAIN_FILES = ['main.ts', 'server.ts', 'mod.ts', 'index.ts', 'main.tsx', 'src/main.ts', 'main.js']

/** Deno's own files identify it; a package.json beside them lists its npm packages. */
export function detectDeno(project: Project, input: BuildInput): DetectedPlan | null {
  const config = project.first(CONFIGS)
  if (config === undefined && !project.has('deno.lock')) return null
  const { overrides } = input
  const text = config === undefined ? '' : project.read(config)
  const main = project.first(MAIN_FILES)
  const tasks = text.includes('"tasks"') ? text.slice(text.indexOf('"tasks"')) : ''
  const fallback = START_TASK.test(tasks) ? 'deno task start' : main === undefined ? '' : `deno run -A ${main}`
  const start = chosen(overrides.start, fallback, nameIn(project, config ?? main ?? 'deno.lock'))
  if (start.text === '')
    throw new BuildProblem(
      `Berth cannot tell how to start this Deno project: there is no "start" task in ${nameIn(project, config ?? 'deno.json')} and no main.ts. Add one, or set Settings → Start command, then deploy again.`,
    )
  const install = chosen(
    overrides.install,
    main === undefined ? 'deno install' : `deno install --entrypoint ${main}`,
    nameIn(project, config ?? 'deno.lock'),
  )
  const build = chosen(overrides.build, BUILD_TASK.test(tasks) ? 'deno task build' : '', nameIn(project, config ?? ''))
  return plainPlan(project, input, {
    kind: 'deno',
    title: 'Deno 2',
    files: [...CONFIGS, 'deno.lock', ...(main === undefined ? [] : [main]), 'Procfile'],
    versions: [{ name: 'Deno', version: '2', from: 'the default' }],
    commands: { install, build, start },
    dockerfile: dockerfile([
      'FROM denoland/deno:2',
      'WORKDIR /app',
      'ENV DENO_DIR=/deno-dir',
      'COPY --chown=deno:deno . .',
      ...args(input.buildArgs),
      'RUN chown deno:deno /app',
      'USER deno',
      run(install.text),
      ...(build.text === '' ? [] : [run(build.text)]),
      `ENV PORT=${input.port ?? 8000}`,
      ...(input.port === null ? [] : [`EXPOSE ${input.port}`]),
      cmd(startArgv(start.text)),
    ]),
  })
}
