import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

type Saved = { url?: string; token?: string }
export type Environment = Readonly<Record<string, string | undefined>>

function parse(text: string): Saved {
  const found: unknown = JSON.parse(text)
  if (typeof found !== 'object' || found === null) return {}
  return {
    ...('url' in found && typeof found.url === 'string' && { url: found.url }),
    ...('token' in found && typeof found.token === 'string' && { token: found.token }),
  }
}

function read(path: string): Saved {
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch {
    return {} // no file yet, or one that is not ours: a login writes a new one
  }
}

/** A token grants everything its owner may do, so only the owner can read the file, and it is written atomically. */
function write(path: string, saved: Saved): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(saved, undefined, 2)}\n`, { mode: 0o600 })
  chmodSync(temporary, 0o600)
  renameSync(temporary, path)
}

/** An address without a path, with the scheme that a browser would use. */
export function serverAddress(text: string): string | undefined {
  const isLocal = /^(localhost|127\.|\[::1\])/.test(text)
  const whole = /^https?:\/\//i.test(text) ? text : `${isLocal ? 'http' : 'https'}://${text}`
  return URL.canParse(whole) ? new URL(whole).origin : undefined
}

/** The address of the server and our token. The environment overrides the file; nothing else reads either. */
export function createSettings(env: Environment) {
  const path = join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'berth', 'settings.json')
  const saved = read(path)
  const fromEnvironment = env['BERTH_URL'] ? (serverAddress(env['BERTH_URL']) ?? env['BERTH_URL']) : undefined
  const url = fromEnvironment ?? saved.url
  // A token is only sent to the server that issued it.
  const token = env['BERTH_TOKEN'] || (url === saved.url ? saved.token : undefined)
  return {
    url,
    token,
    path,
    save: (next: Required<Saved>) => write(path, next),
    forget: () => rmSync(path, { force: true }),
  }
}

export type Settings = ReturnType<typeof createSettings>
