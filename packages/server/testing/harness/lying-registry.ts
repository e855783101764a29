import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { letEngineReach } from './engine-reach.ts'

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json'
/** All that it can say about an image that it does not have. */
const CONFIG = JSON.stringify({
  os: 'linux',
  architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
  rootfs: { type: 'layers', diff_ids: [] },
})

/** A registry of an attacker on loopback, where the engine speaks plain http. It has nothing, and says that it has the image with this id. */
export async function startLyingRegistry() {
  let manifest = ''
  let claimed = ''
  const server = http.createServer((request, response) => {
    const path = request.url ?? ''
    if (path === '/v2/') return void response.end('{}')
    if (path.includes('/blobs/')) return void response.writeHead(200, { 'content-length': CONFIG.length }).end(CONFIG)
    if (!path.includes('/manifests/')) return void response.writeHead(404).end('{}')
    const digest = claimed === '' ? `sha256:${createHash('sha256').update(manifest).digest('hex')}` : claimed
    const headers = { 'content-type': MANIFEST, 'docker-content-digest': digest, 'content-length': manifest.length }
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : manifest)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has no path
  const closeWay = await letEngineReach(port)
  const claim = (imageId: string, digest = '') => {
    const config = { mediaType: 'application/vnd.docker.container.image.v1+json', size: CONFIG.length, digest: imageId }
    const layers = [{ mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip', size: 32, digest: `sha256:${'0'.repeat(64)}` }]
    manifest = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers })
    claimed = digest
  }
  return {
    host: `127.0.0.1:${port}`,
    /** From now on each of its names is this image, and with a digest also that very manifest. */
    claim,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      server.close()
      await closeWay()
    },
  }
}
