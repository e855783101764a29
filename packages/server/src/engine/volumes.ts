import { EngineError, isNotFound } from './api/errors.ts'
import { field, filters, items, labelFilter, text, texts } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { type Owner, ownerOf } from './labels.ts'
import type { LentContainers } from './lent-container.ts'

export type Volume = { readonly name: string; readonly owner: Owner; readonly createdAt: string }

/** Named volumes: the data of apps. One is only removed by name. */
export function createVolumes(deps: {
  transport: Transport
  lentContainers: LentContainers
  removeContainer: (id: string, signal?: AbortSignal) => Promise<void>
}) {
  const { transport } = deps

  async function ensure(name: string, labels: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<void> {
    // Creating a volume that exists returns the existing one, so there is no race between checking and creating.
    const volume = volumeOf(await transport.json({ method: 'POST', path: '/volumes/create', body: { Name: name, Labels: labels }, signal }))
    if (volume.owner.instance === null || volume.owner.instance !== ownerOf(labels).instance) {
      throw new EngineError(409, `A volume with the name ${name} exists but does not belong to Berth. Rename or remove it.`)
    }
  }

  /** A lent container that was left behind does not keep it. */
  async function remove(name: string, signal?: AbortSignal): Promise<void> {
    for (const { id } of await deps.lentContainers.list({ labels: {}, volume: name, signal })) await deps.removeContainer(id, signal)
    try {
      await transport.json({ method: 'DELETE', path: `/volumes/${encodeURIComponent(name)}`, signal })
    } catch (cause) {
      if (!isNotFound(cause)) throw cause
    }
  }

  async function list(wanted: { labels: Readonly<Record<string, string>>; signal?: AbortSignal }): Promise<Volume[]> {
    const query = { filters: filters({ label: labelFilter(wanted.labels) }) }
    return items(field(await transport.json({ method: 'GET', path: '/volumes', query, signal: wanted.signal }), 'Volumes')).map(volumeOf)
  }

  return { ensure, remove, list }
}

function volumeOf(value: unknown): Volume {
  return { name: text(field(value, 'Name')), owner: ownerOf(texts(field(value, 'Labels'))), createdAt: text(field(value, 'CreatedAt')) }
}
