import type { Handlers } from '../../http/implement.ts'
import type { Ports } from './service.ts'

export function portHandlers(ports: Ports) {
  return { 'ports.list': async () => await ports.list() } satisfies Partial<Handlers>
}
