import { count, field, items, text, texts } from './api/json.ts'
import type { MeasureDisk } from './disk-usage.ts'
import { type Owner, ownerOf } from './labels.ts'

type ImageSize = { readonly owner: Owner /** Without layers shared with other images. */; readonly bytes: number }
type VolumeSize = { readonly name: string; readonly owner: Owner; readonly bytes: number }

/** Disk usage of images and volumes. */
export function createDisk({ measure }: { measure: MeasureDisk }) {
  async function images(signal?: AbortSignal): Promise<ImageSize[]> {
    return items(field(await measure('image', signal), 'Images')).map((image) => ({
      owner: ownerOf(texts(field(image, 'Labels'))),
      bytes: Math.max(0, count(field(image, 'Size')) - Math.max(0, count(field(image, 'SharedSize')))),
    }))
  }

  async function volumes(signal?: AbortSignal): Promise<VolumeSize[]> {
    return items(field(await measure('volume', signal), 'Volumes')).map((volume) => ({
      name: text(field(volume, 'Name')),
      owner: ownerOf(texts(field(volume, 'Labels'))),
      bytes: Math.max(0, count(field(volume, 'UsageData', 'Size'))), // -1 if it has not been measured
    }))
  }

  return { images, volumes }
}
