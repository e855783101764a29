import { chown, readFile, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import type { CloneUrl } from './clone-url.ts'
import { HostKeyChanged } from './errors.ts'

/** How ssh shows who we are, and how it knows the host. */
export type SshAccess = {
  readonly privateKey: string
  /** The pinned key of a host, `host:port type key`; empty before the first use. Read again at each visit. */
  readonly hostKey: () => Promise<string>
  /** Told after the first visit that went well, with what was pinned before it. False where another key was pinned meanwhile. */
  readonly pin: (hostKey: string, before: string) => Promise<boolean>
}

type Place = Extract<CloneUrl, { host: string }>
type Preparing = { home: string; url: Place; address: string; access: SshAccess; runAs: { uid: number; gid: number } | undefined }
export type PreparedSsh = { readonly env: Readonly<Record<string, string>>; readonly pinWhatWasSeen: () => Promise<void> }

/** Whatever the source is called, its key stands under this name, and there is no other in the file. */
const ALIAS = 'source'

/**
 * The program that git starts as ssh. Git hands GIT_SSH_COMMAND and core.sshCommand to a shell; GIT_SSH it starts itself, with arguments, but
 * it takes no options in it. So it is this file, the same for every source: the shell that reads it sees nothing that anybody wrote.
 */
const PROGRAM = '#!/bin/sh\nexec ssh -F "$HOME/ssh_config" "$@"\n'

/** Puts into HOME what ssh needs for one source. Nothing of the machine's own settings, keys, agents or known hosts counts. */
export async function prepareSsh({ home, url, address, access, runAs }: Preparing): Promise<PreparedSsh> {
  const place = `${url.host}:${url.port}`
  const pinned = await access.hostKey()
  const isPinned = pinned.startsWith(`${place} `)
  const knownHosts = path.join(home, 'known_hosts')
  const files = {
    ssh: { text: PROGRAM, mode: 0o700 },
    ssh_config: { text: sshConfig({ home, address, isPinned }), mode: 0o600 },
    key: { text: access.privateKey, mode: 0o600 },
    known_hosts: { text: isPinned ? `${ALIAS} ${pinned.slice(place.length + 1)}\n` : '', mode: 0o600 },
  }
  for (const [name, { text, mode }] of Object.entries(files)) {
    await writeFile(path.join(home, name), text, { mode, flag: 'wx' })
    if (runAs !== undefined) await chown(path.join(home, name), runAs.uid, runAs.gid)
  }

  async function pinWhatWasSeen(): Promise<void> {
    const seen = /^source ([a-z0-9@.-]+ [A-Za-z0-9+/]+=*)$/m.exec(isPinned ? '' : await readFile(knownHosts, 'utf8'))?.[1]
    if (seen !== undefined && !(await access.pin(`${place} ${seen}`, pinned))) throw new HostKeyChanged()
  }
  return { env: { GIT_SSH: path.join(home, 'ssh'), GIT_SSH_VARIANT: 'ssh' }, pinWhatWasSeen }
}

/** Connects to the address that was checked, whatever DNS returns by then. Git adds the port and the user. */
export function sshConfig({ home, address, isPinned }: { home: string; address: string; isPinned: boolean }): string {
  if (isIP(address) === 0) throw new Error('not an address that was vetted')
  const options = {
    HostName: address,
    HostKeyAlias: ALIAS,
    StrictHostKeyChecking: isPinned ? 'yes' : 'accept-new',
    UserKnownHostsFile: quoted(path.join(home, 'known_hosts')),
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    HashKnownHosts: 'no',
    CheckHostIP: 'no',
    VerifyHostKeyDNS: 'no',
    IdentityFile: quoted(path.join(home, 'key')),
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    AddKeysToAgent: 'no',
    PreferredAuthentications: 'publickey',
    BatchMode: 'yes',
    ForwardAgent: 'no',
    ForwardX11: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ControlMaster: 'no',
    ControlPath: 'none',
    ConnectTimeout: '10',
    ServerAliveInterval: '10',
    ServerAliveCountMax: '3',
    LogLevel: 'ERROR',
  }
  return Object.entries(options)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('')
}

/** A path of ours in a line of the settings, where `%` begins a token. */
function quoted(file: string): string {
  if (/["\n\\]/.test(file)) throw new Error(`ssh cannot be given the path ${file}`)
  return `"${file.replaceAll('%', '%%')}"`
}
