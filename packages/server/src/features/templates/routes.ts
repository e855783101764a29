import type { Handlers } from '../../http/implement.ts'
import { TEMPLATES } from './templates.ts'

export function templateHandlers() {
  return {
    'templates.list': () =>
      TEMPLATES.map(({ name, title, description, image, version, port, aliases }) => ({
        name,
        title,
        description,
        image,
        version,
        port,
        aliases: [...aliases],
      })),
  } satisfies Partial<Handlers>
}
