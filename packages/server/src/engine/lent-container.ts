import { field, text } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { containerRequest } from './container-spec.ts'

/** The container that this is done for. Its request was checked already. */
export type Of = {
  readonly name: string
  readonly image: string
  readonly platform?: string | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly network: string
}
type Lent = { readonly as: 'volumes' | 'image'; readonly volumes: readonly { readonly volume: string; readonly path: string }[] }

/** A container with the same image and only these volumes, while some work lasts. It is never started. */
export function createLend({ transport, remove }: { transport: Transport; remove: (id: string) => Promise<void> }) {
  return async function lend(of: Of, { as, volumes }: Lent, work: (id: string) => Promise<void>): Promise<void> {
    const { image, platform, labels, network } = of
    const name = `${of.name}-${as}`
    const inert = { env: {}, entrypoint: ['/'], command: [], aliases: [], restart: 'no' } as const
    const body = containerRequest({ ...inert, name, image, labels, network, volumes })
    await remove(name) // a crash may have left it
    const query = { name, platform }
    const id = text(field(await transport.json({ method: 'POST', path: '/containers/create', query, body }), 'Id'))
    try {
      await work(id)
    } finally {
      await remove(id)
    }
  }
}
