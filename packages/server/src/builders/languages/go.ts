import { args, cmd, dockerfile, pathText, run, startArgv } from '../dockerfile-text.ts'
import { type BuildInput, chosen, type DetectedPlan } from '../plan.ts'
import { BuildProblem, nameIn, type Project } from '../project.ts'
import { plainPlan } from './plain-plan.ts'

const DEFAULT = '1.25'

export function detectGo(project: Project, input: BuildInput): DetectedPlan | null {
  if (!project.has('go.mod')) return null
  const asked = /^go (\d+\.\d+)(?:\.\d+)?\s*$/m.exec(project.read('go.mod'))?.[1]
  const version = { name: 'Go', version: asked ?? DEFAULT, from: asked === undefined ? 'the default' : nameIn(project, 'go.mod') }
  const { overrides } = input
  const install = chosen(overrides.install, 'go mod download', nameIn(project, 'go.mod'))
  const main = overrides.build.text === '' ? mainPackage(project) : '.'
  const build = chosen(
    overrides.build,
    `CGO_ENABLED=0 go build -ldflags="-s -w" -o /out/app ${main}`,
    nameIn(project, main === '.' ? 'main.go' : main),
  )
  const start = chosen(overrides.start, '/app/app', 'the program that was built')
  const caches = ['target=/go/pkg/mod', 'target=/root/.cache/go-build']
  const files = project.matching(/^(?:static|public|templates|views|migrations|assets)\//)
  const folders = [...new Set(files.map((file) => file.split('/')[0] ?? ''))]
  return plainPlan(project, input, {
    kind: 'go',
    title: `Go ${version.version}`,
    files: ['go.mod', 'go.sum', 'Procfile'],
    versions: [version],
    commands: { install, build, start },
    dockerfile: dockerfile(
      [
        `FROM golang:${version.version}-alpine AS build`,
        'WORKDIR /src',
        `COPY ${['go.mod', 'go.sum'].filter(project.has).join(' ')} ./`,
        ...args(input.buildArgs),
        run(install.text, caches),
        'COPY . .',
        run(build.text, caches),
      ],
      [
        'FROM alpine:3',
        run('apk add --no-cache ca-certificates tzdata && adduser -D -u 1000 app'),
        'WORKDIR /app',
        'COPY --from=build /out/ /app/',
        ...folders.map((folder) => `COPY --from=build /src/${folder} /app/${folder}`),
        `ENV PORT=${input.port ?? 8080}`,
        'USER app',
        ...(input.port === null ? [] : [`EXPOSE ${input.port}`]),
        cmd(startArgv(start.text)),
      ],
    ),
  })
}

/** Where `package main` is: at the top, or the only one under cmd/. */
function mainPackage(project: Project): string {
  if (project.matching(/^[^/]+\.go$/).some((file) => /^package main\s*$/m.test(project.read(file)) || file === 'main.go')) return '.'
  const commands = [...new Set(project.matching(/^cmd\/[^/]+\/[^/]+\.go$/).map((file) => file.split('/').slice(0, 2).join('/')))]
  const preferred = commands.find((folder) => ['cmd/server', 'cmd/web', 'cmd/api', 'cmd/app'].includes(folder))
  const only = commands.length === 1 ? commands[0] : preferred
  if (only !== undefined) return `./${pathText(only, 'The main package')}`
  throw new BuildProblem(
    commands.length === 0
      ? `There is ${nameIn(project, 'go.mod')} but no main package: neither main.go nor cmd/<name>/main.go. Set Settings → Root directory or Settings → Build command (it must write /out/app), then deploy again.`
      : `There are several main packages (${commands.slice(0, 5).join(', ')}). Set Settings → Build command to the one to run, such as "go build -o /out/app ./${commands[0]}", then deploy again.`,
  )
}
