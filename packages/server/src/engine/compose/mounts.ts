import { bytesOf } from './parts.ts'
import { mapping, matching, type Reading, refuse, scalar } from './refuse.ts'

export type MountRead =
  | { readonly kind: 'volume'; readonly source?: string; readonly path: string; readonly readOnly?: boolean; readonly noCopy?: boolean }
  | { readonly kind: 'tmpfs'; readonly path: string; readonly options: string }
  /** A path of the repository, as written in the file. */
  | { readonly kind: 'repository'; readonly source: string; readonly path: string; readonly readOnly: boolean }

const VOLUME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/
const TARGET = /^(\/[A-Za-z0-9._@+-]+)+\/?$/
const FORBIDDEN_TARGET = /(^|\/)\.{1,2}(\/|$)|^\/(proc|sys|dev|run|var\/run)(\/|$)/
const REPOSITORY = /^\.{1,2}(\/|$)/
const MOUNT_KEYS = ['type', 'source', 'target', 'read_only', 'volume', 'tmpfs', 'bind', 'consistency']
/** Files of the machine that many compose files mount, but no container needs. */
const TIME_FILES = /^\/(etc\/(localtime|timezone)|usr\/share\/zoneinfo(\/[A-Za-z0-9_+-]+)*)$/
const ENGINE_SOCKET = /docker(d|-engine)?\.sock|containerd|podman/

/** Named and anonymous volumes, tmpfs, and paths of the repository. Paths of the machine are refused. */
export function mountOf(value: unknown, at: string, reading: Reading): MountRead | undefined {
  return typeof value === 'string' ? shortMount(value, at, reading) : longMount(value, at, reading)
}

function longMount(value: unknown, at: string, reading: Reading): MountRead | undefined {
  const long = mapping(value, at, MOUNT_KEYS)
  const kind = long['type'] ?? 'volume'
  const volume = mapping(long['volume'], `${at}.volume`, ['nocopy'])
  const tmpfs = mapping(long['tmpfs'], `${at}.tmpfs`, ['size', 'mode'])
  if (kind !== 'bind' && long['bind'] !== undefined) refuse(`${at}.bind`)
  if (kind === 'bind' || kind === 'volume') {
    mapping(long['bind'], `${at}.bind`, ['create_host_path', 'selinux'])
    const source = long['source'] === undefined ? undefined : scalar(long['source'], at)
    if (kind === 'bind' && source === undefined) refuse(`${at} (type "bind")`, 'needs a source')
    if (kind === 'volume' && source !== undefined && !VOLUME.test(source)) refuse(`${at} (host path)`, HOST_PATH)
    const isReadOnly = long['read_only'] === true
    return placed({ source, target: long['target'], isReadOnly, noCopy: volume['nocopy'] === true, isBind: kind === 'bind' }, at, reading)
  }
  if (kind !== 'tmpfs') refuse(`${at} (type ${JSON.stringify(kind)})`)
  const size = tmpfs['size'] === undefined ? [] : [`size=${bytesOf(tmpfs['size'], `${at}.tmpfs.size`)}`]
  return { kind: 'tmpfs', path: targetOf(long['target'], at), options: size.join() }
}

const KNOWN_OPTIONS = /^(ro|rw|z|Z|cached|delegated|consistent|nocopy)$/

function shortMount(text: string, at: string, reading: Reading): MountRead | undefined {
  const [first = '', second, mode, ...more] = text.split(':')
  const options = mode?.split(',') ?? []
  if (more.length > 0 || !options.every((option) => KNOWN_OPTIONS.test(option))) refuse(at, 'has an option that is not allowed')
  const [source, target] = second === undefined ? [undefined, first] : [first, second]
  const isBind = source !== undefined && !VOLUME.test(source)
  return placed({ source, target, isReadOnly: options.includes('ro'), noCopy: options.includes('nocopy'), isBind }, at, reading)
}

const HOST_PATH =
  'is a path on the server, which apps cannot mount. Commit the files and use a path that starts with ./, or use a named volume'
const SOCKET = 'is the Docker socket, which gives full control of the server. Remove it; Berth shows containers and logs itself'

type Placed = { source: string | undefined; target: unknown; isReadOnly: boolean; noCopy: boolean; isBind: boolean }

function placed({ source, target, isReadOnly, noCopy, isBind }: Placed, at: string, reading: Reading): MountRead | undefined {
  if (source === undefined || !isBind) {
    const more = { ...(isReadOnly && { readOnly: true }), ...(noCopy && { noCopy }) }
    return { kind: 'volume', ...(source === undefined ? {} : { source }), path: targetOf(target, at), ...more }
  }
  const named = `${at} (host path ${source.slice(0, 80)})`
  if (ENGINE_SOCKET.test(source)) refuse(named, SOCKET)
  if (TIME_FILES.test(source) && isReadOnly) {
    reading.note(`${at}: ${source} is ignored; set TZ in the environment to change the time zone.`)
    return undefined
  }
  if (!REPOSITORY.test(source)) refuse(named, HOST_PATH)
  return { kind: 'repository', source, path: targetOf(target, at), readOnly: isReadOnly }
}

function targetOf(value: unknown, at: string): string {
  const target = matching(value, at, TARGET)
  return FORBIDDEN_TARGET.test(target) ? refuse(`${at} (${target})`) : target.replace(/\/$/, '')
}

const TMPFS_PATH = /^(?!.*(\/\/|\/\.{1,2}(\/|$)))\/(?!proc|sys|dev(\/(?!shm(\/|$))|$))[A-Za-z0-9._/-]+$/
const TMPFS_OPTION = /^(size=\d{1,12}[kmgKMG]?|mode=[0-7]{3,4}|uid=\d{1,9}|gid=\d{1,9}|rw|exec|noexec|nosuid|nodev)$/

/** `tmpfs: /path` or `/path:size=64m,mode=1777`, as path and options. */
export function tmpfsOf(value: unknown, at: string): { path: string; options: string } {
  const [path = '', options = '', ...more] = scalar(value, at).split(':')
  if (more.length > 0 || (options !== '' && !options.split(',').every((option) => TMPFS_OPTION.test(option))))
    refuse(at, 'has an option that is not allowed')
  return { path: matching(path, at, TMPFS_PATH), options }
}
