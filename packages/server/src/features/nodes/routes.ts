import type { Handlers } from '../../http/implement.ts'
import type { Nodes } from './service.ts'

export function nodeHandlers(nodes: Nodes) {
  return { 'nodes.list': async () => await nodes.list() } satisfies Partial<Handlers>
}
