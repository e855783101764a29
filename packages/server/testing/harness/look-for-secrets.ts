import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** What others on the machine could see while something goes on: the arguments of all new processes, and the settings of checked-out repositories. */
export function watchMachine(workDir: string) {
  const [commands, configs] = [new Set<string>(), new Set<string>()]
  const older = new Set(namesIn('/proc'))
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const newer = namesIn('/proc').filter((name) => /^\d+$/.test(name) && !older.has(name))
      for (const pid of newer) commands.add(textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))
      for (const name of namesIn(workDir)) configs.add(textOf(path.join(workDir, name, '.git', 'config')))
      await sleep(5)
    }
  })()
  return async () => {
    isOver = true
    await watching
    return { commands: [...commands], configs: [...configs].filter((text) => text !== '') }
  }
}

/** Every file below a directory, whatever is in it, one character for each byte. */
export function filesBelow(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => textOf(path.join(entry.parentPath, entry.name)))
}

/** An image with all its layers, as `docker save` gives it. */
export async function savedImage(socketPath: string, id: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  http
    .get({ socketPath, path: `/images/${encodeURIComponent(id)}/get` }, (answer) => void buffer(answer).then(resolve, reject))
    .once('error', reject)
  return (await promise).toString('latin1')
}

/** The forms in which a secret is written here and there: itself, and in base64 at each of the three places it can begin. */
export function formsOf(secret: string): string[] {
  const encoded = ['', 'x', 'xx'].map((before) =>
    Buffer.from(before + secret)
      .toString('base64')
      .slice(4, -4),
  )
  return [secret, ...encoded]
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return '' // it has just gone
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
