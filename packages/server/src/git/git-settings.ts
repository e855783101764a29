import { isIP } from 'node:net'
import path from 'node:path'
import type { CloneUrl } from './clone-url.ts'
import type { AdmittedSource } from './source-policy.ts'

export type Credential = { readonly host: string; readonly port: number; readonly username: string; readonly password: string }

/** In HOME, for repositories on this machine alone: it says that they may belong to another user. Git takes that from no argument. */
export const GLOBAL_CONFIG = 'gitconfig'

/** The whole environment of git: nothing of ours is inherited, no configuration of the machine counts, nothing is ever asked. */
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
    GIT_NO_LAZY_FETCH: '1', // what a look left out is never asked for behind its back
    HOME: options.home,
    PATH: options.path,
    LC_ALL: 'C', // failures are told apart by git's words
    ...credentialEnvironment(options.url, options.credential),
  }
}

// Not in the arguments, which every user of the machine can list; and for its own host over https alone.
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
  'http.followRedirects=false', // nor the alternates of a plain file server, which a fetch with a depth does not ask for either
  'fetch.uriProtocols=', // no packs from places that the server names
  'transfer.bundleURI=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=30',
  'protocol.allow=never',
  'protocol.version=2',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'core.bigFileThreshold=16m', // larger files pass through in pieces and are not held in memory
  'core.deltaBaseCacheLimit=32m',
  'pack.threads=1', // each has a cache of its own
  'transfer.unpackLimit=1', // a few objects are no reason to hold each of them whole
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  'init.defaultBranch=main',
] as const

/** The `-c` arguments for one source. The address that was vetted is pinned, so git does not ask the name server again. */
export function gitSettings(source?: AdmittedSource, options: { caFile?: string | undefined } = {}): string[] {
  const authorities = options.caFile === undefined ? [] : [`http.sslCAInfo=${options.caFile}`]
  return [...SETTINGS, ...authorities, ...(source === undefined ? [] : settingsOf(source))].flatMap((setting) => ['-c', setting])
}

function settingsOf({ url, address }: AdmittedSource): string[] {
  const allowed = `protocol.${url.kind}.allow=always`
  if (url.kind === 'file' || address === null) return [allowed]
  if (url.kind === 'ssh') return [allowed] // ssh is told by settings of its own (ssh.ts)
  const pin =
    isIP(url.host) === 0 ? [`http.curloptResolve=${url.host}:${url.port}:${address.includes(':') ? `[${address}]` : address}`] : []
  return [allowed, ...pin]
}
