import { args, cmd, dockerfile, run, startArgv } from '../dockerfile-text.ts'
import { type BuildInput, chosen, type DetectedPlan } from '../plan.ts'
import { BuildProblem, nameIn, type Project } from '../project.ts'
import { APP_USER, plainPlan, type Version } from './plain-plan.ts'

export function detectRuby(project: Project, input: BuildInput): DetectedPlan | null {
  if (!project.has('Gemfile')) return null
  const version = rubyVersion(project)
  const isRails = project.has('config/application.rb') || /^\s{0,20}gem ['"]rails['"]/m.test(project.read('Gemfile'))
  const port = input.port ?? 3000
  const { overrides } = input
  const install = chosen(overrides.install, 'bundle install', nameIn(project, 'Gemfile'))
  const build = chosen(overrides.build, isRails ? 'SECRET_KEY_BASE_DUMMY=1 bundle exec rails assets:precompile' : '', 'Rails')
  const fallback = isRails
    ? 'bundle exec rails server -b 0.0.0.0'
    : project.has('config.ru')
      ? `bundle exec rackup --host 0.0.0.0 --port \${PORT:-${port}}`
      : ''
  const start = chosen(overrides.start, fallback, isRails ? 'Rails' : nameIn(project, 'config.ru'))
  if (start.text === '')
    throw new BuildProblem(
      `Berth cannot tell how to start this Ruby project: there is ${nameIn(project, 'Gemfile')} but no config.ru. Set Settings → Start command or add a Procfile, then deploy again.`,
    )
  return plainPlan(project, input, {
    kind: 'ruby',
    title: [isRails ? 'Rails' : 'Rack', `Ruby ${version.version}`].join(', '),
    files: ['Gemfile', 'Gemfile.lock', 'config.ru', '.ruby-version', 'Procfile'],
    versions: [version],
    commands: { install, build, start },
    dockerfile: dockerfile(
      buildStage(project, { version: version.version, install: install.text, build: build.text, buildArgs: input.buildArgs }),
      [
        `FROM ruby:${version.version}-slim`,
        run(
          'apt-get update && apt-get install -y --no-install-recommends libpq5 libyaml-0-2 libsqlite3-0 libmariadb3 && rm -rf /var/lib/apt/lists/*',
        ),
        APP_USER,
        `${ENVIRONMENT} RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1 PORT=${port}`,
        'COPY --from=build /usr/local/bundle /usr/local/bundle',
        'COPY --from=build --chown=app:app /app /app',
        'WORKDIR /app',
        'USER app',
        ...(input.port === null ? [] : [`EXPOSE ${input.port}`]),
        cmd(startArgv(start.text)),
      ],
    ),
  })
}

const ENVIRONMENT = 'ENV RAILS_ENV=production RACK_ENV=production BUNDLE_WITHOUT=development:test BUNDLE_PATH=/usr/local/bundle'
const BUILD_PACKAGES = 'build-essential git libpq-dev libyaml-dev libsqlite3-dev default-libmysqlclient-dev pkg-config'
const COPY_NODE = [
  'COPY --from=node:24-slim /usr/local/bin/ /usr/local/bin/',
  'COPY --from=node:24-slim /usr/local/lib/node_modules /usr/local/lib/node_modules',
]

type Build = { readonly version: string; readonly install: string; readonly build: string; readonly buildArgs: readonly string[] }

function buildStage(project: Project, { version, install, build, buildArgs }: Build): string[] {
  const needsNode = build !== '' && project.has('package.json')
  return [
    `FROM ruby:${version}-slim AS build`,
    'WORKDIR /app',
    run(`apt-get update && apt-get install -y --no-install-recommends ${BUILD_PACKAGES} && rm -rf /var/lib/apt/lists/*`),
    ENVIRONMENT,
    ...(needsNode ? COPY_NODE : []),
    `COPY ${['Gemfile', 'Gemfile.lock', '.ruby-version'].filter(project.has).join(' ')} ./`,
    ...args(buildArgs),
    run(install, ['target=/root/.bundle/cache']),
    'COPY . .',
    ...(needsNode ? [run('npm install', ['target=/root/.npm'])] : []),
    ...(build === '' ? [] : [run(build)]),
  ]
}

function rubyVersion(project: Project): Version {
  const file = project
    .read('.ruby-version')
    .trim()
    .replace(/^ruby-/, '')
  const gemfile = /^\s{0,20}ruby ['"](?:~> ?|>= ?)?(\d+\.\d+(?:\.\d+)?)['"]/m.exec(project.read('Gemfile'))?.[1] ?? ''
  const [text, from] = file === '' ? [gemfile, nameIn(project, 'Gemfile')] : [file, nameIn(project, '.ruby-version')]
  if (text === '') return { name: 'Ruby', version: '3.4', from: 'the default' }
  if (/^\d+\.\d+(?:\.\d+)?$/.test(text)) return { name: 'Ruby', version: text, from }
  throw new BuildProblem(`${from} asks for Ruby "${text.slice(0, 40)}". Use a version such as 3.4 or 3.4.1, then deploy again.`)
}
