import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type Response } from 'playwright-core'
import { steadily } from './retry-navigation.ts'

export const CHROMIUM = '/usr/bin/chromium'
const run = promisify(execFile)

export type PageSeen = {
  status: number
  text: string
  /** What the browser itself says of the connection. */
  security: Awaited<ReturnType<Response['securityDetails']>>
}

/** A real browser that also trusts these roots, and resolves every name to the edge. */
export async function startTrustingBrowser({ httpsPort, roots }: { httpsPort: number; roots: readonly string[] }) {
  const home = await mkdtemp(path.join(tmpdir(), 'berth-browser-'))
  const forget = async () => await rm(home, { recursive: true, force: true, maxRetries: 10 }) // its processes write until the last of them is gone
  let browser: Browser
  try {
    await trust(home, roots)
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-background-networking', `--host-resolver-rules=MAP * 127.0.0.1:${httpsPort}`],
      // Nothing else of ours: a proxy would resolve the names, and another folder for settings may hold other roots.
      env: { HOME: home, PATH: process.env['PATH'] ?? '' },
    })
  } catch (cause) {
    await forget()
    throw cause
  }

  /** The page that an address leads to; fails with the browser's own error where it shows a warning instead. */
  async function open(url: string): Promise<PageSeen> {
    const page = await browser.newPage()
    try {
      const response = await steadily(async () => await page.goto(url))
      if (response === null) throw new Error(`${url} was not asked for`)
      return { status: response.status(), text: await response.text(), security: await response.securityDetails() }
    } finally {
      await page.close()
    }
  }

  async function dispose(): Promise<void> {
    try {
      await browser.close()
    } finally {
      await forget()
    }
  }

  return { open, [Symbol.asyncDispose]: dispose }
}

/** The database in which Chromium looks for the roots that its user added. */
async function trust(home: string, roots: readonly string[]): Promise<void> {
  const folder = path.join(home, '.pki/nssdb')
  const database = `sql:${folder}`
  await mkdir(folder, { recursive: true })
  await run('certutil', ['-N', '-d', database, '--empty-password'])
  for (const [index, root] of roots.entries()) {
    const file = path.join(home, `root-${index}.pem`)
    await writeFile(file, root)
    await run('certutil', ['-A', '-d', database, '-n', `root ${index}`, '-t', 'C,,', '-i', file])
  }
}
