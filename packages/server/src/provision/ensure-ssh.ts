import { access, constants } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { installDebianPackage } from './debian-packages.ts'

/** Makes sure of `ssh`, which only sources with a deploy key need. Answers why there is none, and looks again the next time. */
export function createWhyNoSsh(deps: { path: string; mode: 'auto' | 'off'; log: Pick<Logger, 'info' | 'warn'> }) {
  async function isThere(): Promise<boolean> {
    const places = deps.path.split(path.delimiter).map((directory) => path.join(directory, 'ssh'))
    const found = await Promise.all(places.map(async (file) => await access(file, constants.X_OK).then(yes, no)))
    return found.includes(true)
  }

  let installing: ReturnType<typeof installDebianPackage> | undefined
  return async function whyNoSsh(): Promise<string | undefined> {
    if (await isThere()) return undefined
    if (deps.mode === 'auto') {
      installing ??= installDebianPackage(['openssh-client'], { log: deps.log })
      const { ok } = await installing
      installing = undefined
      if (ok) return undefined
    }
    return 'An ssh clone URL needs ssh, which is not installed on this server. Ask an admin to install it (Debian: openssh-client).'
  }
}

const yes = () => true
const no = () => false
