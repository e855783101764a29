import { setTimeout as sleep } from 'node:timers/promises'
import type { EdgeLab } from '../labs/edge-lab.ts'
import { visit } from '../labs/edge-visitor.ts'

/** Sends requests until the returned function is called, which says which versions answered and how many requests failed. */
export function watchVersions(
  lab: EdgeLab,
  { host, methods = ['GET'] }: { host: string; methods?: readonly string[] },
): () => Promise<{ versions: string[]; errors: number }> {
  const versions = new Set<string>()
  let errors = 0
  let isStopped = false
  async function sendRequests(method: string): Promise<void> {
    while (!isStopped) {
      const answer = await visit(lab, { host, method }).catch(() => undefined)
      if (answer?.status === 200) versions.add((JSON.parse(answer.text) as { version: string }).version)
      else errors += 1
      await sleep(20)
    }
  }
  const sending = Promise.all(methods.map(sendRequests))
  return async () => {
    isStopped = true
    await sending
    return { versions: [...versions].toSorted(), errors }
  }
}
