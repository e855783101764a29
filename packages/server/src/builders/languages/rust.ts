import { args, cmd, dockerfile, run, startArgv } from '../dockerfile-text.ts'
import { type BuildInput, chosen, type DetectedPlan } from '../plan.ts'
import { BuildProblem, nameIn, type Project } from '../project.ts'
import { APP_USER, plainPlan, tomlText, type Version } from './plain-plan.ts'

const FOLDERS = ['static', 'templates', 'migrations', 'public', 'assets']

export function detectRust(project: Project, input: BuildInput): DetectedPlan | null {
  if (!project.has('Cargo.toml')) return null
  const manifest = project.read('Cargo.toml')
  const version = rustVersion(project)
  const { overrides } = input
  const name = binaryOf(project, manifest, overrides.build.text !== '' || overrides.start.text !== '')
  const locked = project.has('Cargo.lock') ? ' --locked' : ''
  const build = chosen(
    overrides.build,
    `cargo build --release${locked} && mkdir -p /out && cp target/release/${name} /out/`,
    nameIn(project, 'Cargo.toml'),
  )
  const beside = project.matching(/^(?:static|templates|migrations|public|assets)\//)
  const start = chosen(overrides.start, `/app/${name}`, nameIn(project, 'Cargo.toml'))
  return plainPlan(project, input, {
    kind: 'rust',
    title: `Rust ${version.version}`,
    files: ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', 'Procfile'],
    versions: [version],
    commands: { build, start },
    dockerfile: dockerfile(
      [
        `FROM rust:${version.version}-bookworm AS build`,
        'WORKDIR /src',
        'COPY . .',
        ...args(input.buildArgs),
        run(build.text, ['target=/usr/local/cargo/registry,sharing=locked', 'target=/src/target,sharing=locked']),
      ],
      [
        'FROM debian:bookworm-slim',
        run('apt-get update && apt-get install -y --no-install-recommends ca-certificates libssl3 && rm -rf /var/lib/apt/lists/*'),
        APP_USER,
        'WORKDIR /app',
        'COPY --from=build /out/ /app/',
        ...FOLDERS.filter((folder) => beside.some((file) => file.startsWith(`${folder}/`))).map(
          (folder) => `COPY --from=build /src/${folder} /app/${folder}`,
        ),
        `ENV PORT=${input.port ?? 8080}`,
        'USER app',
        ...(input.port === null ? [] : [`EXPOSE ${input.port}`]),
        cmd(startArgv(start.text)),
      ],
    ),
  })
}

function rustVersion(project: Project): Version {
  for (const file of ['rust-toolchain.toml', 'rust-toolchain']) {
    const text = project.read(file)
    const channel = tomlText(text, 'channel') || (text.includes('=') ? '' : text.trim())
    if (/^\d+\.\d+(?:\.\d+)?$/.test(channel)) return { name: 'Rust', version: channel, from: nameIn(project, file) }
  }
  return { name: 'Rust', version: '1', from: 'the default' }
}

function binaryOf(project: Project, manifest: string, isSteered: boolean): string {
  const binaries = manifest
    .split('[[bin]]')
    .slice(1)
    .map((section) => tomlText(section, 'name'))
  const name = tomlText(manifest.split('[package]')[1] ?? '', 'name')
  const [only = name] = binaries
  const hasMain = project.has('src/main.rs') || binaries.length > 0 || project.matching(/^src\/bin\/[^/]+\.rs$/).length === 1
  const [single] = project.matching(/^src\/bin\/[^/]+\.rs$/)
  const found = project.has('src/main.rs') ? name : ((only || single?.slice('src/bin/'.length, -3)) ?? '')
  if (/^[A-Za-z0-9_-]+$/.test(found) && hasMain) return found
  if (isSteered) return 'app'
  throw new BuildProblem(
    `${nameIn(project, 'Cargo.toml')} has no program to run: neither src/main.rs nor a single [[bin]]. Set Settings → Root directory to the crate of the program, or Settings → Build command and Start command, then deploy again.`,
  )
}
