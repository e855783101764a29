import type { Handlers } from '../../http/implement.ts'
import type { FiguresKeeper } from './service.ts'

export function figureHandlers(figures: FiguresKeeper) {
  return {
    'figures.get': async ({ app, input }) => await figures.read(app.id, input.range),
    'figures.glance': async ({ caller }) => await figures.glance(caller),
  } satisfies Partial<Handlers>
}
