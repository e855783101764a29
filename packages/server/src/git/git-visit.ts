import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from '../lib/logger.ts'
import { retry } from '../lib/retry.ts'
import { type CloneUrl, parseCloneUrl } from './clone-url.ts'
import {
  CredentialRefused,
  DeployKeyMissing,
  DeployKeyRefused,
  RepositoryMissing,
  RepositoryNeedsCredentials,
  SourceError,
  SourceRefused,
} from './errors.ts'
import { createGitFor, type GitFor, type MemoryMib } from './git-process.ts'
import { type Credential, GLOBAL_CONFIG, gitEnvironment, gitSettings } from './git-settings.ts'
import { createVersionCheck } from './git-version.ts'
import type { AdmittedSource, SourcePolicy } from './source-policy.ts'
import { prepareSsh, type SshAccess } from './ssh.ts'

export type Source = {
  readonly url: string
  /** Whether the caller may use private addresses and file://. */
  readonly privileged: boolean
  readonly credential?: Credential
  /** Required for ssh. */
  readonly ssh?: SshAccess
  readonly signal?: AbortSignal
}

export type RunAs = { readonly uid: number; readonly gid: number }

/** Passed to the work: git, set up for this source only. */
export type Visit = {
  readonly url: CloneUrl
  readonly git: ReturnType<GitFor>
  /** The required owner of the workspace. */
  readonly runAs: RunAs | undefined
}

const RETRY_AFTER_MS = [500, 2_000] as const

/** One access to a source: checked first, with its own HOME, and retried if the failure may be temporary. */
export function createVisits(deps: {
  policy: Pick<SourcePolicy, 'admit'>
  scratch: string
  path: string
  runAs?: RunAs
  retryAfterMs?: readonly number[]
  memoryMib?: MemoryMib
  /** CA certificates to trust instead of the machine's. */
  caFile?: (() => string) | undefined
  /** Why ssh is not available on this machine; undefined if it is. */
  whyNoSsh?: () => Promise<string | undefined>
  log?: Pick<Logger, 'warn'>
}) {
  const { policy, scratch, retryAfterMs = RETRY_AFTER_MS } = deps
  const gitFor = createGitFor(deps)
  const checkVersion = createVersionCheck({ path: deps.path })
  const sshFor = createSshFor(deps)

  async function visitOnce<T>(source: Source, url: CloneUrl, work: (visit: Visit) => Promise<T>): Promise<T> {
    // A repository on this machine was chosen by an admin, and may be readable only by us.
    const runAs = url.kind === 'file' ? undefined : deps.runAs
    if (url.kind === 'ssh' && source.ssh === undefined) throw new DeployKeyMissing() // before any network access
    if (url.kind === 'http' || url.kind === 'https') await checkVersion()
    const home = await ownDirectory(scratch, runAs)
    try {
      const admitted = await policy.admit(url, source)
      if (url.kind === 'file') await writeFile(path.join(home, GLOBAL_CONFIG), '[safe]\n\tdirectory = *\n')
      const ssh = url.kind === 'ssh' ? await sshFor(source, admitted, { home, runAs }) : undefined
      const env = { ...gitEnvironment({ home, path: deps.path, url, credential: source.credential }), ...ssh?.env }
      const settings = () => gitSettings(admitted, { caFile: deps.caFile?.() })
      const git = gitFor({ env, runAs, signal: source.signal, settings })
      const result = await work({ url, git, runAs })
      await ssh?.pinWhatWasSeen()
      return result
    } catch (cause) {
      if (cause instanceof RepositoryNeedsCredentials && url.kind === 'ssh') throw new DeployKeyRefused()
      const mayBeClosed = cause instanceof RepositoryNeedsCredentials || cause instanceof RepositoryMissing
      if (mayBeClosed && source.credential !== undefined) throw new CredentialRefused(source.credential.whenRefused)
      throw cause
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  }

  return async function visit<T>(source: Source, work: (visit: Visit) => Promise<T>): Promise<T> {
    const url = parseCloneUrl(source.url)
    if (url === null) throw new SourceRefused('The clone URL is not supported. Use https://host/path, ssh://… or git@host:path.')
    return await retry(() => visitOnce(source, url, work), {
      isTransient: (cause) => cause instanceof SourceError && cause.isTransient,
      delayMs: (failures) => retryAfterMs[failures - 1],
      signal: source.signal,
    })
  }
}

export type Visits = ReturnType<typeof createVisits>

function createSshFor(deps: { whyNoSsh?: () => Promise<string | undefined> }) {
  return async ({ ssh: access }: Source, { url, address }: AdmittedSource, own: { home: string; runAs: RunAs | undefined }) => {
    if (url.kind !== 'ssh' || address === null || access === undefined) throw new DeployKeyMissing()
    const whyNot = await deps.whyNoSsh?.()
    if (whyNot !== undefined) throw new SourceError(whyNot)
    return await prepareSsh({ ...own, url, address, access })
  }
}

async function ownDirectory(scratch: string, runAs: RunAs | undefined): Promise<string> {
  await mkdir(scratch, { recursive: true })
  const directory = await mkdtemp(path.join(scratch, 'home-'))
  await chmod(directory, 0o700)
  if (runAs !== undefined) await chown(directory, runAs.uid, runAs.gid)
  return directory
}
