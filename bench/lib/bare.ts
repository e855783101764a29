import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../packages/server/testing/harness/listening.ts'
import { end, start, waitUntilAnswers } from './child.ts'

/** A bare Fastify server that answers one route with the given JSON. */
export async function startBare(dir: string, route: { method: string; path: string; answer: string }) {
  const file = path.join(dir, 'bare-answer.json')
  writeFileSync(file, route.answer)
  const port = await freePort()
  const child = start([path.join(import.meta.dirname, 'bare-server.mjs'), String(port), route.method, route.path, file], {})
  const url = `http://127.0.0.1:${port}`
  await waitUntilAnswers(`${url}/health`, child)
  return { url, pid: child.pid, stop: async () => await end(child) }
}
