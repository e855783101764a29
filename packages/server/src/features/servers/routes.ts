import type { Handlers } from '../../http/implement.ts'
import type { ServersPart } from './service.ts'

export function serverHandlers(servers: ServersPart) {
  return {
    'servers.list': async () => await servers.list(),
    'servers.add': async ({ caller, input, site }) => await servers.add(caller, input, site),
    'servers.stopAdding': async ({ caller }) => await servers.stopAdding(caller),
    'servers.check': async ({ input, closed }) => await servers.check(input.serverId, closed()),
    'servers.update': async ({ caller, input }) => await servers.update(caller, input),
    'servers.setManagers': async ({ caller, input }) => await servers.setManagers(caller, input.serverIds),
    'servers.remove': async ({ caller, input }) => await servers.remove(caller, input.serverId),
    'servers.turnOff': async ({ caller }) => await servers.turnOff(caller),
    'servers.image': async ({ input, closed }) => await servers.image(input.token, closed()),
  } satisfies Partial<Handlers>
}
