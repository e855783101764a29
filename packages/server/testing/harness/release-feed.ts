import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

/** Serves releases over http, with ranges; an archive can be cut off after some bytes, for a number of times. */
export async function startReleaseFeed(directory: string) {
  const ranges: string[] = []
  let cuts = { after: 0, times: 0 }
  let isChanged = false
  const server = createServer((request, response) => {
    void (async () => {
      const file = path.join(directory, path.basename(request.url ?? ''))
      const size = (await stat(file).catch(() => undefined))?.size
      if (size === undefined) return response.writeHead(404).end()
      const { range } = request.headers
      const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
      if (range !== undefined) ranges.push(range)
      const isArchive = file.endsWith('.gz')
      const isCut = isArchive && cuts.times > 0
      if (isCut) cuts = { ...cuts, times: cuts.times - 1 }
      response.writeHead(start > 0 ? 206 : 200, {
        'content-length': size - start,
        ...(start > 0 && { 'content-range': `bytes ${start}-${size - 1}/${size}` }),
      })
      const end = isCut ? Math.min(size, start + cuts.after) : size
      for await (const chunk of createReadStream(file, { start, end: end - 1 }))
        response.write(isChanged && !isArchive ? changed(chunk as Buffer) : chunk)
      return isCut ? response.destroy() : response.end()
    })().catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    ranges,
    cutArchives: (after: number, times: number) => void (cuts = { after, times }),
    /** Somebody on the way changes the index. */
    changeIndex: (wanted: boolean) => void (isChanged = wanted),
    close: async () => await new Promise((resolve) => server.close(resolve)),
  }
}

export type ReleaseFeed = Awaited<ReturnType<typeof startReleaseFeed>>

function changed(chunk: Buffer): Buffer {
  return Buffer.from(chunk.toString('utf8').replace('What is new', 'What is bad'))
}
