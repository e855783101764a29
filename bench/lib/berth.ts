import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../packages/server/testing/harness/listening.ts'
import { end, root, start, waitUntilAnswers } from './child.ts'

const OWNER = { email: 'owner@example.com', password: 'correct-horse' }

type ServerProcess = { nodeFlags: string[]; environment: Record<string, string>; serverBundle: string }

/** The very command that `npm start` ends in, with nothing provisioned and a data directory of its own. */
export async function productCommand(): Promise<ServerProcess> {
  const file = path.join(root, 'scripts/lib/server-process.mjs')
  const { nodeFlags, environment, serverBundle } = (await import(file)) as ServerProcess // plain JavaScript, typed here
  // Another bundle or other flags may be measured against the built one without touching it.
  const flags = process.env['BENCH_NODE_FLAGS']
  return { environment, serverBundle: process.env['BENCH_BUNDLE'] ?? serverBundle, nodeFlags: flags?.split(' ') ?? nodeFlags }
}

export function makeDataDir(): string {
  return mkdtempSync(path.join(tmpdir(), 'berth-bench-'))
}

export async function startBerth(dataDir: string, env: Record<string, string> = {}) {
  const { nodeFlags, environment, serverBundle } = await productCommand()
  const port = await freePort()
  const begin = performance.now()
  const child = start([...nodeFlags, serverBundle], {
    ...environment,
    PORT: String(port),
    HOST: '127.0.0.1',
    BERTH_DATA_DIR: dataDir,
    BERTH_PROVISION: 'off',
    BERTH_EDGE_HTTP_PORT: String(await freePort()),
    BERTH_EDGE_HTTPS_PORT: String(await freePort()),
    BERTH_OWNER_EMAIL: OWNER.email,
    BERTH_OWNER_PASSWORD: OWNER.password,
    ...env,
  })
  const url = `http://127.0.0.1:${port}`
  await waitUntilAnswers(`${url}/health`, child)
  return {
    url,
    pid: child.pid,
    startMs: performance.now() - begin,
    stop: async () => await end(child),
    kill: async () => await end(child, 'SIGKILL'),
  }
}

/** Logs in as the owner and gives the session cookie. */
export async function signIn(url: string, email: string = OWNER.email): Promise<string> {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...OWNER, email }),
  })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0]
  if (cookie === undefined) throw new Error(`no session: ${await answer.text()}`)
  return cookie
}

export function remove(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true })
}
