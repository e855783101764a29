import Type, { type Static } from 'typebox'
import { expects, Flag, Nullable, OneOf } from './fields.ts'

/** How a repository is built. `auto`: its Dockerfile if there is one, else what its files say. */
const REPOSITORY_BUILDERS = ['auto', 'dockerfile', 'static'] as const
/** `image`: nothing is built; a ready image is pulled. */
export const BUILDERS = [...REPOSITORY_BUILDERS, 'image'] as const
export type Builder = (typeof BUILDERS)[number]
export const Builder = OneOf(BUILDERS)

/** What was decided for a build, and why. Stored with the deployment. */
export const BuildPlan = Type.Object({
  /** What made it: the repository's own Dockerfile, detection, the setting to serve files, or a ready image. */
  builder: Builder,
  /** Such as `node`, `python`, `static`, `dockerfile` and `image`. */
  kind: Type.String(),
  /** For people: "Next.js 15, pnpm, Node.js 22". */
  title: Type.String(),
  /** The files that the decision is based on. */
  files: Type.Array(Type.String()),
  versions: Type.Array(Type.Object({ name: Type.String(), version: Type.String(), from: Type.String() })),
  commands: Type.Array(Type.Object({ name: OneOf(['install', 'build', 'start', 'release']), command: Type.String(), from: Type.String() })),
  /** Those beside the main one, with how many the settings say. Plans from before there were processes have none. */
  processes: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        command: Type.String(),
        replicas: Type.Integer(),
        from: Type.String(),
        cpuLimit: Type.Optional(Type.Number()),
        memoryLimit: Type.Optional(Type.Integer()),
      }),
    ),
  ),
  /** The directory a static site is served from; empty for everything else. */
  outputDirectory: Type.String(),
  port: Nullable(Type.Integer()),
  /** The text of the Dockerfile, for people who want to commit it themselves. */
  dockerfile: Type.String(),
  notes: Type.Array(Type.String()),
})
export type BuildPlan = Static<typeof BuildPlan>

/** What a deployment would build, before there is one. Either a plan, or why nothing could be built. */
export const PlannedBuild = Type.Object({ plan: Nullable(BuildPlan), problem: Type.String() })
export type PlannedBuild = Static<typeof PlannedBuild>

const COMMAND = '^[^\\u0000-\\u001f\\u007f]*$'
const Command = Type.String({
  maxLength: 2000,
  pattern: COMMAND,
  ...expects('a command on one line, of at most 2,000 characters, or empty'),
})
const OutputDirectory = Type.String({
  maxLength: 200,
  pattern: '^(?!/)(?!.*(^|/)\\.\\.(/|$))[A-Za-z0-9_.@+~/-]*$',
  ...expects('a directory inside the project, such as dist, or empty'),
})

/** Names that start with BUILDKIT_, in any case, control the builder itself. */
const BUILD_ARG = '^(?![Bb][Uu][Ii][Ll][Dd][Kk][Ii][Tt]_)[A-Za-z_][A-Za-z0-9_]{0,99}$'
const BuildArgs = Type.Record(
  Type.String({ pattern: BUILD_ARG }),
  Type.String({ maxLength: 4096, pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$' }),
  {
    additionalProperties: false,
    maxProperties: 100,
    ...expects('a map of at most 100 names (letters, digits, underscores, not BUILDKIT_…) to one-line strings of at most 4,096 characters'),
  },
)

/** Names and values together. */
const MOST_BUILD_ARGS_CHARACTERS = 16_384

/** What is wrong with the size of these build arguments, to follow the name of the field. A schema cannot express it. */
export function buildArgsProblem(buildArgs: Readonly<Record<string, string>>): string | undefined {
  const characters = Object.entries(buildArgs).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (characters <= MOST_BUILD_ARGS_CHARACTERS) return undefined
  return `must be at most 16,384 characters of names and values together, but has ${characters.toLocaleString('en')}`
}

/** The name is what `RUN --mount=type=secret,id=…` asks for. */
const BUILD_SECRET = '^[A-Za-z_][A-Za-z0-9_.-]{0,99}$'
export const MOST_BUILD_SECRETS = 100
const BuildSecrets = Type.Record(
  Type.String({ pattern: BUILD_SECRET }),
  Nullable(Type.String({ minLength: 1, maxLength: 65_536, pattern: '^[^\\u0000]*$' })),
  {
    additionalProperties: false,
    maxProperties: MOST_BUILD_SECRETS,
    ...expects(
      'a map of at most 100 names (letters, digits, dots, dashes, underscores) to strings of at most 64 KiB without NUL, or null to remove one',
    ),
  },
)

/** How an app is built: in `apps/create`, `apps/update` and, but for ready images, in a repository's berth.json. */
export const RepositoryBuildSettings = {
  builder: Type.Optional(OneOf(REPOSITORY_BUILDERS)),
  installCommand: Type.Optional(Command),
  buildCommand: Type.Optional(Command),
  startCommand: Type.Optional(Command),
  outputDirectory: Type.Optional(OutputDirectory),
  releaseCommand: Type.Optional(Command),
  /** Not secret: they stay readable in the image. */
  buildArgs: Type.Optional(BuildArgs),
  buildTarget: Type.Optional(
    Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_.-]*$', ...expects('the name of a stage of the Dockerfile, or empty') }),
  ),
}

const IMAGE = '^([a-z0-9][A-Za-z0-9._/:@-]*)?$'

export const BuildSettings = {
  ...RepositoryBuildSettings,
  builder: Type.Optional(Builder),
  /** Only those that are sent change, and null removes one. No answer has a value. */
  buildSecrets: Type.Optional(BuildSecrets),
  /** Fetches the submodules of the repository. */
  submodules: Type.Optional(Flag),
  /** Fetches the files that the repository keeps in Git LFS. */
  lfs: Type.Optional(Flag),
  image: Type.Optional(
    Type.String({ maxLength: 255, pattern: IMAGE, ...expects('an image such as nginx:1.27 or ghcr.io/owner/name:tag, or empty') }),
  ),
}
