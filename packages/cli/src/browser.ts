import { spawn } from 'node:child_process'
import { once } from 'node:events'

const PROGRAMS: Readonly<Record<string, string>> = { linux: 'xdg-open', freebsd: 'xdg-open', darwin: 'open' }

/** The program that opens URLs on this system, if any. */
export function browserProgram(platform: string = process.platform): string | undefined {
  return PROGRAMS[platform]
}

/** Opens a URL without waiting for the browser. It is not an error if there is no browser, because the URL was printed. */
export async function openInBrowser(program: string, address: string): Promise<boolean> {
  if (!/^https?:\/\//.test(address)) return false
  const child = spawn(program, [address], { stdio: 'ignore', detached: true })
  try {
    await once(child, 'spawn')
  } catch {
    return false // there is no such program
  }
  child.unref()
  return true
}
