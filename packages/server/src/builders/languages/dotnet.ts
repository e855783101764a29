import { args, cmd, dockerfile, pathText, run, startArgv } from '../dockerfile-text.ts'
import { type BuildInput, chosen, type DetectedPlan } from '../plan.ts'
import { BuildProblem, nameIn, type Project } from '../project.ts'
import { plainPlan } from './plain-plan.ts'

export function detectDotnet(project: Project, input: BuildInput): DetectedPlan | null {
  const projects = project.matching(/^(?:[^/]+\/){0,2}[^/]+\.(?:cs|fs)proj$/)
  if (projects.length === 0) return null
  const { overrides } = input
  const file = pathText(programIn(project, projects), 'The project file')
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/\.(?:cs|fs)proj$/, '')
  const asked = /<TargetFramework>net(\d+\.\d+)</.exec(project.read(file))?.[1]
  const version = { name: '.NET', version: asked ?? '9.0', from: asked === undefined ? 'the default' : nameIn(project, file) }
  const isWeb = project.read(file).includes('Microsoft.NET.Sdk.Web')
  const install = chosen(overrides.install, `dotnet restore ${file}`, nameIn(project, file))
  const build = chosen(overrides.build, `dotnet publish ${file} -c Release -o /out --no-restore`, nameIn(project, file))
  const start = chosen(overrides.start, `dotnet ${name}.dll`, nameIn(project, file))
  const port = input.port ?? 8080
  const caches = ['target=/root/.nuget/packages']
  return plainPlan(project, input, {
    kind: 'dotnet',
    title: `${isWeb ? 'ASP.NET Core, ' : ''}.NET ${version.version}`,
    files: [file, 'global.json', 'Procfile'],
    versions: [version],
    commands: { install, build, start },
    dockerfile: dockerfile(
      [
        `FROM mcr.microsoft.com/dotnet/sdk:${version.version} AS build`,
        'WORKDIR /src',
        'COPY . .',
        ...args(input.buildArgs),
        run(install.text, caches),
        run(build.text, caches),
      ],
      [
        `FROM mcr.microsoft.com/dotnet/${isWeb ? 'aspnet' : 'runtime'}:${version.version}`,
        'WORKDIR /app',
        'COPY --from=build /out/ /app/',
        `ENV PORT=${port} ASPNETCORE_HTTP_PORTS=${port} DOTNET_EnableDiagnostics=0`,
        'USER 1654:1654',
        ...(input.port === null ? [] : [`EXPOSE ${input.port}`]),
        cmd(startArgv(start.text)),
      ],
    ),
  })
}

/** The only project, or the only one that is a web app. */
function programIn(project: Project, files: readonly string[]): string {
  const [first = ''] = files
  const web = files.filter((file) => project.read(file).includes('Microsoft.NET.Sdk.Web'))
  const [only] = web
  if (files.length === 1) return first
  if (web.length === 1 && only !== undefined) return only
  throw new BuildProblem(
    `There are several .NET projects (${files.slice(0, 5).join(', ')}). Set Settings → Root directory to the one to run, then deploy again.`,
  )
}
