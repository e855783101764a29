import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http, { type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { archiveOf } from '../../src/engine/build/tar.ts'
import { letEngineReach } from './engine-reach.ts'
import { freePort } from './listening.ts'

const TICK_MS = 250
const LAYER = 'application/vnd.docker.image.rootfs.diff.tar.gzip'
const sha = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export type SlowLayer = { readonly diffId: string; readonly bytes: Buffer }

/** A layer of about this size with bytes that nobody else has. */
export function newLayer(size: number): SlowLayer {
  const archive = archiveOf([{ path: randomBytes(8).toString('hex'), mode: 0o644, contents: randomBytes(size) }])
  return { diffId: sha(archive), bytes: gzipSync(archive, { level: 0 }) }
}

/**
 * A registry without passwords on 127.0.0.1, where the engine speaks plain http. Each image says how fast its layers are sent; everything
 * else is sent at once.
 */
export async function startSlowRegistry() {
  const blobs = new Map<string, Buffer>()
  const images = new Map<string, { manifest: Buffer; bytesPerSecond: number }>()
  /** Layers that are being sent, by the image that they are sent for. */
  const sending: string[] = []
  const port = await freePort()
  const closeWay = await letEngineReach(port)
  const server = http.createServer((request, response) => {
    const [, name = '', kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(request.url ?? '') ?? []
    const image = images.get(name)
    if (request.url === '/v2/') return void response.end('{}')
    if (image === undefined) return void response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}')
    const bytes = kind === 'manifests' ? image.manifest : blobs.get(reference)
    if (bytes === undefined) return void response.writeHead(404).end('{"errors":[{"code":"BLOB_UNKNOWN"}]}')
    const type = kind === 'manifests' ? 'application/vnd.docker.distribution.manifest.v2+json' : 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length, 'docker-content-digest': sha(bytes) })
    if (request.method === 'HEAD') return void response.end()
    if (kind === 'manifests' || bytes.subarray(0, 1).toString() === '{') return void response.end(bytes)
    sending.push(name)
    response.on('close', () => sending.splice(sending.indexOf(name), 1))
    sendSlowly(response, bytes, image.bytesPerSecond)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  return {
    host: `127.0.0.1:${port}`,
    sending: (): readonly string[] => [...sending],
    /** Gives the name under which the engine pulls it. */
    add(name: string, layers: readonly SlowLayer[], bytesPerSecond: number): string {
      const config = Buffer.from(
        JSON.stringify({
          os: 'linux',
          architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
          config: { Cmd: ['/none'], Labels: { name } },
          rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
        }),
      )
      const all = [config, ...layers.map(({ bytes }) => bytes)]
      for (const bytes of all) blobs.set(sha(bytes), bytes)
      const [first, ...others] = all.map((bytes) => ({ mediaType: LAYER, size: bytes.length, digest: sha(bytes) }))
      const manifest = {
        schemaVersion: 2,
        mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
        config: { ...first, mediaType: 'application/vnd.docker.container.image.v1+json' },
        layers: others,
      }
      images.set(name, { manifest: Buffer.from(JSON.stringify(manifest)), bytesPerSecond })
      return `127.0.0.1:${port}/${name}:1`
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      server.close()
      await closeWay()
    },
  }
}

function sendSlowly(response: ServerResponse, bytes: Buffer, bytesPerSecond: number): void {
  let sent = 0
  const send = () => {
    const until = Math.min(bytes.length, sent + Math.max(1, Math.round((bytesPerSecond * TICK_MS) / 1000)))
    response.write(bytes.subarray(sent, until))
    sent = until
    if (sent < bytes.length) return
    clearInterval(timer)
    response.end()
  }
  const timer = setInterval(send, TICK_MS)
  response.on('close', () => clearInterval(timer))
}
