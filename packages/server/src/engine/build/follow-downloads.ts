import type { FollowedDownload } from '../downloads/downloads.ts'
import type { TracePart } from './buildkit-messages.ts'

/** Steps that do nothing but get an image. */
const GETS_IMAGE = /^(?:\[[^\]]*\] )?(?:FROM |load metadata for )/
/** The engine shows an image's layers under their digest, first as they arrive and then as they are unpacked. */
const LAYER = /^(extracting )?sha256:([0-9a-f]{12})/

/** What a build says about the layers of its base images. It says nothing about those that wait. */
export function createFollowDownloads(download: Pick<FollowedDownload, 'layer' | 'silent'>) {
  const running = new Map<string, string>()

  return function take(parts: readonly TracePart[]): void {
    for (const part of parts) {
      if (part.kind === 'vertex') {
        const { digest, name, startedAt, completedAt } = part.update
        if (completedAt !== null) running.delete(digest)
        else if (startedAt !== null) running.set(digest, name)
      }
      if (part.kind !== 'transfer') continue
      const [, isLocal, layer] = LAYER.exec(part.name) ?? []
      if (layer === undefined) continue
      const state = part.isOver ? 'here' : isLocal === undefined ? 'arriving' : 'local'
      download.layer(layer, state, part.current)
    }
    const names = [...running.values()]
    download.silent(names.length > 0 && names.every((name) => GETS_IMAGE.test(name)))
  }
}
