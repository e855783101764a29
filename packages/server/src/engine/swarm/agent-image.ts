import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { librariesOf } from '../../lib/elf.ts'
import { EngineError, isConflict, isNotFound } from '../api/errors.ts'
import { field, jsonLines, text } from '../api/json.ts'
import type { Transport } from '../api/transport.ts'
import { END_OF_ARCHIVE, headerOf, paddingFor } from '../build/tar.ts'
import type { Images } from '../images.ts'
import { labelsOf } from '../labels.ts'

const PROGRAM_IN_IMAGE = '/usr/bin/node'

/**
 * An image of the Node.js that runs this Berth, for containers of ours on every server. A new server gets it with the command that adds it.
 * An engine always tries to pull the image of a service first, so the name has a registry that nobody can have.
 */
export function createAgentImage(deps: { transport: Transport; images: Images }) {
  const { transport, images } = deps
  const nameOf = (instance: string) => `127.0.0.1:1/berth-${instance}/agent:node-${process.version}`

  /** Of the Node.js of earlier versions of Berth. One that is still used is removed the next time. */
  async function removeOlder(instance: string): Promise<void> {
    const tags = (await images.list({ labels: labelsOf({ instance, kind: 'agent' }) })).flatMap((image) => image.tags)
    for (const tag of tags.filter((each) => each !== nameOf(instance))) {
      await images.removeUnused(tag).catch((cause: unknown) => {
        if (!isNotFound(cause) && !isConflict(cause)) throw cause
      })
    }
  }

  async function ensure(instance: string): Promise<string> {
    const name = nameOf(instance)
    if (!(await images.exists(name))) await create(instance, name)
    await removeOlder(instance)
    return name
  }

  async function create(instance: string, name: string): Promise<void> {
    const libraries = await librariesOf(process.execPath)
    const folders = [...new Set(libraries.map((path) => dirname(path)))].join(':')
    const settings = [`ENV PATH=${dirname(PROGRAM_IN_IMAGE)}`, ...(folders === '' ? [] : [`ENV LD_LIBRARY_PATH=${folders}`])]
    const labels = Object.entries(labelsOf({ instance, kind: 'agent' })).map(([key, value]) => `LABEL ${key}=${value}`)
    const [repo, tag] = [name.slice(0, name.lastIndexOf(':')), name.slice(name.lastIndexOf(':') + 1)]
    const answer = await transport.stream({
      method: 'POST',
      path: '/images/create',
      query: { fromSrc: '-', repo, tag, changes: [...settings, ...labels].join('\n') },
      upload: Readable.from(
        archive([{ from: process.execPath, to: PROGRAM_IN_IMAGE }, ...libraries.map((path) => ({ from: path, to: path }))]),
      ),
    })
    for await (const message of jsonLines(answer.chunks)) {
      const failure = text(field(message, 'error'))
      if (failure !== '') throw new EngineError(500, failure)
    }
  }

  /** As `docker load` reads it. */
  async function contents(instance: string, signal: AbortSignal): Promise<Readable> {
    const name = await ensure(instance)
    const answer = await transport.stream({ method: 'GET', path: `/images/${name}/get`, signal })
    return Readable.from(answer.chunks)
  }

  return { nameOf, ensure, contents }
}

/** Piece by piece: Node.js has more than 100 MB. */
async function* archive(files: readonly { from: string; to: string }[]): AsyncGenerator<Buffer> {
  for (const { from, to } of files) {
    const { size } = await stat(from)
    yield headerOf({ path: to.slice(1), kind: 'file', mode: 0o755, size, mtimeSeconds: 0 })
    // without an encoding it yields buffers, which its type does not express
    yield* createReadStream(from) as AsyncIterable<Buffer>
    const padding = paddingFor(size)
    if (padding.length > 0) yield padding
  }
  yield END_OF_ARCHIVE
}
