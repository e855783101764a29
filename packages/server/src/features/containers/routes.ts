import type { Handlers } from '../../http/implement.ts'
import type { Containers } from './service.ts'

export function containerHandlers(containers: Containers) {
  return {
    'containers.start': async ({ caller, app, again }) => {
      await containers.apply({ caller, app, again }, { verb: 'start' })
      return { message: 'Container started successfully' }
    },
    'containers.stop': async ({ caller, app, again }) => {
      await containers.apply({ caller, app, again }, { verb: 'stop' })
      return { message: 'Container stopped successfully' }
    },
    'containers.restart': async ({ caller, app, again }) => {
      await containers.apply({ caller, app, again }, { verb: 'restart' })
      return { message: 'Container restarted successfully' }
    },
    'containers.status': async ({ caller, app }) => await containers.status(caller, app),
    'containers.logs': async ({ caller, app, input }) => await containers.logs(caller, app, input),
    'containers.logPage': async ({ caller, app, input, closed }) =>
      await containers.wholeLogs.page({ caller, app, closed: closed() }, input),
    'containers.logSearch': async ({ caller, app, input, closed }) =>
      await containers.wholeLogs.search({ caller, app, closed: closed() }, input),
    'containers.logFile': async ({ caller, app, input, closed }) =>
      await containers.wholeLogs.file({ caller, app, closed: closed() }, input),
    'containers.usage': async ({ caller, app }) => await containers.usage(caller, app),
  } satisfies Partial<Handlers>
}
