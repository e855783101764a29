import { count, field, items, text, texts } from './api/json.ts'
import type { Transport } from './api/transport.ts'
import { type Owner, ownerOf } from './labels.ts'

type ImageSize = { readonly owner: Owner /** Without layers shared with other images. */; readonly bytes: number }
type VolumeSize = { readonly name: string; readonly owner: Owner; readonly bytes: number }

/** Disk usage. The engine measures it on request, which may take a while. */
export function createDisk({ transport }: { transport: Transport }) {
  async function ask(type: 'image' | 'volume', signal?: AbortSignal): Promise<unknown> {
    return await transport.json({ method: 'GET', path: '/system/df', query: { type }, signal, timeoutMs: 300_000 })
  }

  async function images(signal?: AbortSignal): Promise<ImageSize[]> {
    return items(field(await ask('image', signal), 'Images')).map((image) => ({
      owner: ownerOf(texts(field(image, 'Labels'))),
      bytes: Math.max(0, count(field(image, 'Size')) - Math.max(0, count(field(image, 'SharedSize')))),
    }))
  }

  async function volumes(signal?: AbortSignal): Promise<VolumeSize[]> {
    return items(field(await ask('volume', signal), 'Volumes')).map((volume) => ({
      name: text(field(volume, 'Name')),
      owner: ownerOf(texts(field(volume, 'Labels'))),
      bytes: Math.max(0, count(field(volume, 'UsageData', 'Size'))), // -1 if it has not been measured
    }))
  }

  return { images, volumes }
}
