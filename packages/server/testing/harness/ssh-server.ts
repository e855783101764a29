import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort, untilItListens } from './listening.ts'

const run = promisify(execFile)

/** OpenSSH's own server on loopback. Whoever has one of the authorized keys logs in as the user of the tests. */
export async function startSshServer() {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-sshd-'))
  const authorized = path.join(directory, 'authorized_keys')
  const port = await freePort()
  await mkdir('/run/sshd', { recursive: true }).catch(() => undefined) // without root sshd does not ask for it
  await writeFile(authorized, '')
  let [n, log] = [0, '']
  let process = await start()

  /** With a new host key each time. */
  async function start() {
    const hostKey = path.join(directory, `host-${(n += 1)}`)
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey])
    const config = path.join(directory, 'config')
    const lines = [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${authorized}`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'AcceptEnv GIT_PROTOCOL',
      'LogLevel VERBOSE',
    ]
    await writeFile(config, `${lines.join('\n')}\n`)
    const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
    await untilItListens(port)
    return child
  }

  async function stop(): Promise<void> {
    const ended = once(process, 'close')
    process.kill('SIGKILL')
    await ended
  }

  return {
    port,
    log: () => log,
    urlOf: (repository: string) => `ssh://${userInfo().username}@127.0.0.1:${port}${repository}`,
    authorize: async (publicKeys: readonly string[]) => await writeFile(authorized, publicKeys.map((key) => `restrict ${key}\n`).join('')),
    async changeHostKey(): Promise<void> {
      await stop()
      process = await start()
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type SshServer = Awaited<ReturnType<typeof startSshServer>>
