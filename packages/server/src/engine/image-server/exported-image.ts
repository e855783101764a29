import { posix } from 'node:path'
import { EngineError } from '../api/errors.ts'
import { field, items, text } from '../api/json.ts'
import { type ReadEntry, tarEntries } from '../build/tar-entries.ts'
import type { StoredFile } from './manifest.ts'

const LIST = 'manifest.json'
const MOST_LIST_BYTES = 4 * 1024 * 1024
/** Layers and configurations in what Docker before 25 exports, and blobs in what later versions do. Nothing else is needed. */
const NEEDED = /^(?:[0-9a-f]{64}\/layer\.tar|[0-9a-f]{64}\.json|blobs\/sha256\/[0-9a-f]{64})$/

type File = Extract<ReadEntry, { kind: 'file' }>
export type Exported = { readonly config: StoredFile; readonly layers: readonly StoredFile[]; readonly stored: readonly StoredFile[] }

/**
 * Reads the export of one image (`docker save`) as it arrives, and stores its files. The list of layers comes last, so everything is stored
 * before it is known what it is for; `stored` names all of it.
 */
export async function readExport(
  chunks: AsyncIterable<Buffer>,
  store: (contents: AsyncIterable<Buffer>) => Promise<StoredFile>,
): Promise<Exported> {
  const files = new Map<string, StoredFile>()
  const links = new Map<string, string>()
  let list: unknown
  for await (const entry of tarEntries(chunks)) {
    if (entry.kind !== 'file') links.set(entry.path, targetOf(entry))
    else if (entry.path === LIST) list = JSON.parse(await wholeText(entry))
    else if (NEEDED.test(entry.path)) files.set(entry.path, await store(entry.contents))
  }
  // a layer that is in the image twice is a link the second time
  const fileAt = (path: string): StoredFile => {
    const found = files.get(path) ?? files.get(links.get(path) ?? '')
    if (found === undefined) throw new EngineError(500, `The engine exported an image without ${JSON.stringify(path.slice(0, 100))}.`)
    return found
  }
  const [image] = items(list)
  return {
    config: fileAt(text(field(image, 'Config'))),
    layers: items(field(image, 'Layers')).map((each) => fileAt(text(each))),
    stored: [...files.values()],
  }
}

function targetOf({ kind, path, target }: Exclude<ReadEntry, File>): string {
  return kind === 'hardlink' ? target : posix.join(posix.dirname(path), target)
}

async function wholeText({ size, contents }: File): Promise<string> {
  if (size > MOST_LIST_BYTES) throw new EngineError(500, 'The engine exported an image with too long a list of layers.')
  const parts: Buffer[] = []
  for await (const part of contents) parts.push(part)
  return Buffer.concat(parts).toString()
}
