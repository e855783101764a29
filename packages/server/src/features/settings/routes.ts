import type { Handlers } from '../../http/implement.ts'
import type { SettingsService } from './service.ts'

export function settingsHandlers(settings: SettingsService) {
  return {
    'settings.get': async () => await settings.get(),
    'settings.update': async ({ caller, input }) => await settings.update(caller, input),
  } satisfies Partial<Handlers>
}
