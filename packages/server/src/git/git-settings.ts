import { isIP } from 'node:net'
import path from 'node:path'
import type { CloneUrl } from './clone-url.ts'
import type { AdmittedSource } from './source-policy.ts'

export type Credential = {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
  /** The message for the user if the host does not show the repository to it. */
  readonly whenRefused: string
}

/** In HOME, only for repositories on this machine: allows them to belong to another user, which git accepts from no argument. */
export const GLOBAL_CONFIG = 'gitconfig'

/** The whole environment of git: nothing is inherited from us, the machine's configuration is ignored, and git never prompts. */
export function gitEnvironment(options: {
  home: string
  path: string
  url?: CloneUrl
  credential?: Credential | undefined
}): Record<string, string> {
  return {
    GIT_ALLOW_PROTOCOL: options.url?.kind ?? 'none',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: options.url?.kind === 'file' ? path.join(options.home, GLOBAL_CONFIG) : '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1', // objects left out by a partial fetch are never fetched implicitly
    HOME: options.home,
    PATH: options.path,
    LC_ALL: 'C', // failures are recognised by git's messages
    ...credentialEnvironment(options.url, options.credential),
  }
}

// Not in the arguments, which every user of the machine can see; and only for its own host over https.
function credentialEnvironment(url: CloneUrl | undefined, credential: Credential | undefined): Record<string, string> {
  if (credential === undefined || url?.kind !== 'https' || url.host !== credential.host || url.port !== credential.port) return {}
  const basic = Buffer.from(`${credential.username}:${credential.password}`).toString('base64')
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${new URL(url.href).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  }
}

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'credential.helper=',
  'http.followRedirects=false', // nor the alternates of a plain file server, which a shallow fetch does not request either
  'fetch.uriProtocols=', // no packs from URLs that the server names
  'transfer.bundleURI=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=30',
  'protocol.allow=never',
  'protocol.version=2',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'core.bigFileThreshold=16m', // larger files are streamed and not held in memory
  'core.deltaBaseCacheLimit=32m',
  'pack.threads=1', // each thread has its own cache
  'transfer.unpackLimit=1', // keep even a small fetch as a pack: unpacking holds every object in memory
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  'init.defaultBranch=main',
] as const

/** The `-c` arguments for one source. The checked address is pinned, so git does not resolve the name again. */
export function gitSettings(source?: AdmittedSource, options: { caFile?: string | undefined } = {}): string[] {
  const authorities = options.caFile === undefined ? [] : [`http.sslCAInfo=${options.caFile}`]
  return [...SETTINGS, ...authorities, ...(source === undefined ? [] : settingsOf(source))].flatMap((setting) => ['-c', setting])
}

function settingsOf({ url, address }: AdmittedSource): string[] {
  const allowed = `protocol.${url.kind}.allow=always`
  if (url.kind === 'file' || address === null) return [allowed]
  if (url.kind === 'ssh') return [allowed] // ssh has its own settings (ssh.ts)
  const pin =
    isIP(url.host) === 0 ? [`http.curloptResolve=${url.host}:${url.port}:${address.includes(':') ? `[${address}]` : address}`] : []
  return [allowed, ...pin]
}
