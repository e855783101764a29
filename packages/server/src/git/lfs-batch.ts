import type { IncomingMessage } from 'node:http'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseForeignJson } from '../lib/foreign-json.ts'
import { SourceError } from './errors.ts'
import type { FramingLimit } from './framing-limit.ts'
import { type Place, refusal } from './lfs-file.ts'
import type { LfsPointer } from './lfs-pointers.ts'
import { brokenConnection, type PinnedRequest } from './pinned-request.ts'

const MEDIA_TYPE = 'application/vnd.git-lfs+json'
/** An answer is parsed in one go. A signed address and its headers take two kilobytes at most. */
const [MOST_BYTES, MOST_BYTES_EACH] = [16 * 1024, 4 * 1024]

const Answer = Type.Object({
  objects: Type.Array(
    Type.Object({
      oid: Type.String(),
      actions: Type.Optional(
        Type.Object({
          download: Type.Optional(Type.Object({ href: Type.String(), header: Type.Optional(Type.Record(Type.String(), Type.String())) })),
        }),
      ),
      error: Type.Optional(Type.Object({ code: Type.Optional(Type.Unknown()), message: Type.Optional(Type.String()) })),
    }),
  ),
})
type Offers = Static<typeof Answer>
export type Offer = Offers['objects'][number]
let validator: { Check(value: unknown): value is Offers } | undefined

type Asked = { readonly pointers: readonly LfsPointer[]; readonly limited: FramingLimit; readonly signal: AbortSignal }

/** What the server offers for these pointers, by their hash. */
export async function offersFor(
  request: PinnedRequest,
  place: Place,
  { pointers, limited, signal }: Asked,
): Promise<ReadonlyMap<string, Offer>> {
  const body = JSON.stringify({ operation: 'download', transfers: ['basic'], objects: pointers.map(({ oid, size }) => ({ oid, size })) })
  const headers = { accept: MEDIA_TYPE, 'content-type': MEDIA_TYPE, ...place.authorization }
  const answer = await request({ url: place.api, method: 'POST', headers, body, privileged: place.source.privileged, signal })
  if (answer.statusCode !== 200) throw refusal(answer, place.api)
  const text = await textOf(answer, { url: place.api, limited, mostBytes: MOST_BYTES + pointers.length * MOST_BYTES_EACH })
  const value = parsed(text)
  validator ??= Compile<typeof Answer>(Answer)
  if (!validator.Check(value)) throw new SourceError(`${place.api.hostname} does not respond like a Git LFS server.`)
  return new Map(value.objects.map((offer) => [offer.oid, offer]))
}

type Reading = { readonly url: URL; readonly limited: FramingLimit; readonly mostBytes: number }

async function textOf(answer: IncomingMessage, { url, limited, mostBytes }: Reading): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // Without an encoding a stream yields buffers, which its type does not express.
  const read = async () => {
    for await (const chunk of limited(answer.socket, answer as AsyncIterable<Buffer>)) {
      size += chunk.length
      if (size > mostBytes) throw new SourceError('The Git LFS server sends more than Berth can read.')
      chunks.push(chunk)
    }
  }
  await read().catch((cause: unknown) => {
    throw brokenConnection(url, cause)
  })
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return parseForeignJson(text)
  } catch {
    return undefined // which is not an answer either
  }
}
