import type { Handlers } from '../../http/implement.ts'
import type { Nodes } from './service.ts'

export function nodeHandlers(nodes: Nodes) {
  return {
    'nodes.list': async () => await nodes.list(),
    'nodes.remove': async ({ caller, input }) => await nodes.remove(caller, input.name),
  } satisfies Partial<Handlers>
}
