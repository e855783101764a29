import type { Handlers } from '../../http/implement.ts'
import type { Moves } from './service.ts'

export function moveHandlers(moves: Moves) {
  return {
    'apps.move': async ({ caller, app, input, again }) => await moves.request({ caller, app, again }, input.server),
    'apps.stopMove': async ({ caller, app }) => await moves.stop(caller, app),
  } satisfies Partial<Handlers>
}
