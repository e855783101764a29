import Type, { type Static } from 'typebox'
import { expects, Flag, Id, OneOf, Time } from './fields.ts'

export const MOST_VOLUMES = 20
export const MOST_FILES = 64
/** Of one file; a request with it, written as base64, still fits into a body of 1 MiB. */
export const MOST_FILE_BYTES = 512 * 1024
/** Of all files of an app together. */
export const MOST_FILES_BYTES = 1024 * 1024

export const VOLUME_NAME = '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$'
const VolumeName = Type.String({
  pattern: VOLUME_NAME,
  ...expects('a name of at most 32 lower-case letters, digits and dashes, such as uploads'),
})

/** A path inside a container, as both volumes and files have it: no "." and "..", no "/" at the end. */
const PLAIN_PATH = '^(?!.*/\\.{1,2}(/|$))(/[A-Za-z0-9._@+-]+)+$'
const VOLUME_PATH = '^(?!.*/\\.{1,2}(/|$))(/[A-Za-z0-9._-]+)+$'

/** A volume of an app. It is kept until somebody asks to delete it. */
export const AppVolume = Type.Object({
  name: Type.String(),
  path: Type.String(),
  /** Whether several containers may use it at once. Otherwise a release stops before the next one starts. */
  shareable: Type.Boolean(),
})
export type AppVolume = Static<typeof AppVolume>

/** The setting in `apps/create` and `apps/update`. */
export const VolumeSettings = Type.Array(
  Type.Object({
    name: VolumeName,
    path: Type.String({ maxLength: 255, pattern: VOLUME_PATH }),
    shareable: Type.Optional(Flag),
  }),
  {
    maxItems: MOST_VOLUMES,
    ...expects(
      `a list of at most ${MOST_VOLUMES} volumes {name, path, shareable}: a name such as uploads (at most 32 lower-case letters, digits and dashes), and an absolute path such as /data`,
    ),
  },
)

/** What the kernel, the engine or the image itself puts there: a volume would hide it. */
const NOT_FOR_VOLUMES = ['/proc', '/sys', '/dev', '/run', '/var/run', '/etc', '/boot', '/bin', '/sbin', '/lib', '/lib64'] as const
const NOT_FOR_VOLUMES_EXACTLY = ['/usr', '/usr/bin', '/usr/sbin', '/usr/lib', '/usr/local', '/usr/local/bin', '/var'] as const
const NOT_FOR_FILES = ['/proc', '/sys', '/dev'] as const
/** The engine mounts its own files here. */
const NOT_FOR_FILES_EXACTLY = ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf', '/sbin/docker-init', '/.dockerenv'] as const

function isAtOrBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}

function isOverlap(a: string, b: string): boolean {
  return isAtOrBelow(a, b) || isAtOrBelow(b, a)
}

function overlapIn(paths: readonly string[]): readonly [string, string] | undefined {
  for (const [index, path] of paths.entries()) {
    const other = paths.slice(0, index).find((earlier) => isOverlap(earlier, path))
    if (other !== undefined) return [other, path]
  }
  return undefined
}

type Places = { readonly volumes: readonly Pick<AppVolume, 'name' | 'path'>[]; readonly files: readonly { readonly path: string }[] }

/** What is wrong with the volumes of an app, to follow the name of the field. A schema cannot express it. */
export function volumesProblem({ volumes, files }: Places): string | undefined {
  const names = volumes.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `must have different names, but two are called ${twice}`
  const reserved = volumes.find(
    ({ path }) => NOT_FOR_VOLUMES.some((root) => isAtOrBelow(path, root)) || NOT_FOR_VOLUMES_EXACTLY.some((root) => root === path),
  )
  if (reserved) return `must not be at ${reserved.path}: the system of the container is there. Use a path such as /data`
  const overlap = overlapIn(volumes.map(({ path }) => path))
  if (overlap) return `must not overlap, but ${overlap[0]} and ${overlap[1]} do`
  return placesProblem({ volumes, files })
}

/** What is wrong with the paths of the files of an app. */
export function filesProblem({ volumes, files }: Places): string | undefined {
  const reserved = files.find(
    ({ path }) => NOT_FOR_FILES.some((root) => isAtOrBelow(path, root)) || NOT_FOR_FILES_EXACTLY.some((root) => root === path),
  )
  if (reserved) return `must not be ${reserved.path}: the system of the container is there`
  const overlap = overlapIn(files.map(({ path }) => path))
  if (overlap) return `must not be inside another file, but ${overlap[0]} and ${overlap[1]} overlap`
  return placesProblem({ volumes, files })
}

/** A file in a volume would stay in it for all releases. */
function placesProblem({ volumes, files }: Places): string | undefined {
  for (const file of files) {
    const volume = volumes.find(({ path }) => isOverlap(path, file.path))
    if (volume) return `must not overlap: the file ${file.path} and the volume ${volume.name} at ${volume.path}`
  }
  return undefined
}

/** What the engine has of an app. */
export const StoredVolume = Type.Object({
  /** The engine's name. */
  name: Type.String(),
  bytes: Type.Integer(),
  /** The name in the settings of the app; empty for volumes of compose apps and databases. */
  volume: Type.String(),
})
export const VolumeDeletion = Type.Object({ appId: Id, volume: VolumeName })
export const DeletedVolume = Type.Object({ volume: Type.String() })

const FilePath = Type.String({
  maxLength: 255,
  pattern: PLAIN_PATH,
  ...expects('an absolute path such as /app/config.json: letters, digits and . _ @ + - between the slashes, without "." and ".."'),
})
const FileMode = Type.String({ pattern: '^0[0-7]{3}$', ...expects('a mode of four octal digits such as 0444') })
export const DEFAULT_FILE_MODE = '0444'
export const FILE_ENCODINGS = ['utf8', 'base64'] as const
export type FileEncoding = (typeof FILE_ENCODINGS)[number]

/** A file that Berth puts into the containers of an app, without its content. */
export const AppFile = Type.Object({
  id: Id,
  path: Type.String(),
  mode: Type.String(),
  bytes: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
})
export type AppFile = Static<typeof AppFile>

export const AppFileContent = Type.Object({
  ...AppFile.properties,
  /** `base64` if it is not a text. */
  encoding: OneOf(FILE_ENCODINGS),
  content: Type.String(),
})
export type AppFileContent = Static<typeof AppFileContent>

export const FileAt = Type.Object({ appId: Id, path: FilePath })
export const FileWriting = Type.Object({
  appId: Id,
  path: FilePath,
  mode: Type.Optional(FileMode),
  encoding: Type.Optional(OneOf(FILE_ENCODINGS)),
  content: Type.String({ maxLength: 1024 * 1024, ...expects('a string of at most 512 KiB, or its base64') }),
})
export type FileWriting = Static<typeof FileWriting>
