import { field, filters, items, labelFilter, text, texts } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { containerRequest } from './container-spec.ts'
import { LENT_LABEL, ownerOf } from './labels.ts'

/** The container that this is done for. Its request was checked already. */
export type Of = {
  readonly name: string
  readonly image: string
  readonly platform?: string | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly network: string
}
type Use = 'volumes' | 'image' | 'filling'
type Mounted = { readonly volume: string; readonly path: string }
type Wanted = { readonly name: string; readonly use: Use; readonly volumes: readonly Mounted[] }
export type LentContainer = {
  readonly id: string
  readonly name: string
  readonly appId: number | null
  /** It is kept until its volume is filled: `volume-filling.ts` says why. */
  readonly isFilling: boolean
  readonly mounts: readonly Mounted[]
}

/** Lent containers that are there. The list of an app's containers leaves them out. */
export function createLentContainers({ transport }: { transport: Transport }) {
  async function list(wanted: {
    labels: Readonly<Record<string, string>>
    volume?: string
    signal?: AbortSignal | undefined
  }): Promise<LentContainer[]> {
    const { labels, volume, signal } = wanted
    const wantedOnes = filters({ label: [...labelFilter(labels), LENT_LABEL], ...(volume === undefined ? {} : { volume: [volume] }) })
    const query = { all: true, filters: wantedOnes }
    const read = (item: unknown) => (text(field(item, 'Labels', LENT_LABEL)) === '' ? [] : [lentOf(item)])
    return (await transport.list({ method: 'GET', path: '/containers/json', query, signal }, read)).flat()
  }
  return { list }
}

export type LentContainers = ReturnType<typeof createLentContainers>

function lentOf(value: unknown): LentContainer {
  const labels = texts(field(value, 'Labels'))
  return {
    id: text(field(value, 'Id')),
    name: text(items(field(value, 'Names'))[0]).replace(/^\//, ''),
    appId: ownerOf(labels).appId,
    isFilling: labels[LENT_LABEL] === ('filling' satisfies Use),
    mounts: items(field(value, 'Mounts')).map((mount) => ({ volume: text(field(mount, 'Name')), path: text(field(mount, 'Destination')) })),
  }
}

/** Containers with the image of another one and only these volumes. They are never started. */
export function createLend({ transport, remove }: { transport: Transport; remove: (id: string) => Promise<void> }) {
  async function create(of: Of, { name, use, volumes }: Wanted): Promise<string> {
    const { image, platform, network } = of
    const inert = { env: {}, entrypoint: ['/'], command: [], aliases: [], restart: 'no' } as const
    const labels = { ...of.labels, [LENT_LABEL]: use }
    const body = containerRequest({ ...inert, name, image, labels, network, volumes })
    const query = { name, platform }
    return text(field(await transport.json({ method: 'POST', path: '/containers/create', query, body }), 'Id'))
  }

  /** While some work lasts. */
  async function lend(of: Of, { use, volumes }: Omit<Wanted, 'name'>, work: (id: string) => Promise<void>): Promise<void> {
    const name = `${of.name}-${use}`
    await remove(name) // a crash may have left it
    const id = await create(of, { name, use, volumes })
    try {
      await work(id)
    } finally {
      await remove(id)
    }
  }

  return { create, lend }
}
