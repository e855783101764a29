import { setTimeout as sleep } from 'node:timers/promises'
import type { EdgeLab } from '../labs/edge-lab.ts'
import { visit } from '../labs/edge-visitor.ts'

/** Sends requests in a loop; the result says which versions answered, and how many requests failed. */
export function watchVersions(
  lab: EdgeLab,
  { host, methods = ['GET'] }: { host: string; methods?: readonly string[] },
): () => Promise<{ versions: string[]; errors: number }> {
  const versions = new Set<string>()
  let errors = 0
  let isOver = false
  async function look(method: string): Promise<void> {
    while (!isOver) {
      const answer = await visit(lab, { host, method }).catch(() => undefined)
      if (answer?.status === 200) versions.add((JSON.parse(answer.text) as { version: string }).version)
      else errors += 1
      await sleep(20)
    }
  }
  const looking = Promise.all(methods.map(look))
  return async () => {
    isOver = true
    await looking
    return { versions: [...versions].toSorted(), errors }
  }
}
