import { VOLUME_CALLS } from './agent-volumes-program.ts'

/** Where the agent finds what it needs in its container. */
export const AGENT_SOCKET = '/var/run/docker.sock'
export const AGENT_IDENTITY = '/run/secrets/agent'
export const AGENT_PORT = 7443

/** The load of its server: the mean of the last seconds, in percent; and the free space where its engine writes. */
export const LOAD_CALL = '/load'

export function statsCall(containerId: string, { isOneShot }: { isOneShot: boolean }): string {
  return `/containers/${containerId}/stats?stream=false${isOneShot ? '&one-shot=true' : ''}`
}

/** Why a container ended. */
export function endCall(containerId: string): string {
  return `/containers/${containerId}/end`
}

/**
 * Runs on each other server, where a manager's API cannot look into containers. It answers whoever has the certificate of the control plane,
 * on the three calls above and those about volumes, about containers and volumes of apps of this instance, and about nothing else. Swarm puts the name of its service on every
 * container of a task, over whatever the image says.
 */
export const AGENT = `
const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const os = require('node:os')
const { INSTANCE, CALLER, IDENTITY, SOCKET, PORT } = process.env
const CALL = /^\\/containers\\/([0-9a-f]{64})\\/(end|stats\\?stream=false(&one-shot=true)?)$/
const OWN = 'berth-' + INSTANCE + '-app-'
const MOST_BYTES = 1024 * 1024
const MOST_AT_ONCE = 16
const ENGINE_MS = 4000
const SAMPLE_MS = 10_000

const reply = (status, value) => ({ status, body: JSON.stringify(value) })
const refused = (status, message) => reply(status, { message })

const ask = (path, { method = 'GET', body, ms = ENGINE_MS } = {}) => new Promise((resolve, reject) => {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const options = { method, headers, socketPath: SOCKET, path, agent: false, signal: AbortSignal.timeout(ms) }
  const request = http.request(options, (response) => {
    const chunks = []
    let bytes = 0
    response.on('error', reject)
    response.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes <= MOST_BYTES) return void chunks.push(chunk)
      request.destroy()
      resolve(refused(422, 'The answer of the engine is too long.'))
    })
    response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() }))
  })
  request.on('error', reject)
  request.end(body === undefined ? undefined : JSON.stringify(body))
})
${VOLUME_CALLS}
const cpuTimes = () => {
  const all = os.cpus().map(({ times }) => ({ idle: times.idle, total: times.user + times.nice + times.sys + times.irq + times.idle }))
  const total = all.reduce((sum, each) => sum + each.total, 0)
  return { total, busy: total - all.reduce((sum, each) => sum + each.idle, 0) }
}
let [before, sampled] = [cpuTimes(), cpuTimes()]
setInterval(() => { [before, sampled] = [sampled, cpuTimes()] }, SAMPLE_MS)

const load = () => {
  const { total, busy } = cpuTimes()
  const cpu = total > before.total ? (busy - before.busy) / (total - before.total) : 0
  const [, available] = /^MemAvailable:\\s+(\\d+) kB$/m.exec(fs.readFileSync('/proc/meminfo', 'utf8')) ?? []
  const free = available === undefined ? os.freemem() : Number(available) * 1024
  const disk = fs.statfsSync('/') // the layer of this container that can be written to
  return { cpu: 100 * cpu, memory: 100 * (1 - free / os.totalmem()), freeBytes: disk.bavail * disk.bsize }
}

const isOwn = ({ Config }) => {
  const name = Config?.Labels?.['com.docker.swarm.service.name']
  return typeof name === 'string' && name.startsWith(OWN)
}

const answer = async (request, response) => {
  const { method, url, socket } = request
  if (socket.getPeerCertificate().subject.CN !== CALLER) return refused(403, 'Only the control plane may ask this agent.')
  if (method === 'GET' && url === '/load') return reply(200, load())
  const archive = ARCHIVE.exec(url)
  if (archive !== null) return await onArchive(request, response, archive)
  const volume = VOLUME.exec(url)
  if (volume !== null) {
    socket.setTimeout(REMOVAL_MS)
    return await onVolume(method, volume)
  }
  if (method === 'GET' && url === '/volumes') return await listVolumes()
  const call = method === 'GET' ? CALL.exec(url) : null
  if (call === null) return refused(403, 'This agent does not answer this call.')
  const found = await ask('/containers/' + call[1] + '/json')
  if (found.status === 404) return refused(404, 'There is no such container here.')
  if (found.status !== 200) return found
  const details = JSON.parse(found.body)
  if (!isOwn(details)) return refused(403, 'This container does not belong to an app.')
  return call[2] === 'end' ? reply(200, { oomKilled: details.State?.OOMKilled === true }) : await ask(url)
}

let underWay = 0
const onRequest = async (request, response) => {
  underWay += 1
  const late = () => refused(502, 'The engine of this server did not answer.')
  const replied = underWay > MOST_AT_ONCE ? refused(503, 'Too many calls at once.') : await answer(request, response).catch(late)
  underWay -= 1
  if (replied === null) return
  if (response.headersSent) return void response.destroy()
  const { status, body } = replied
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body)
}

const { key, certificate, authority } = JSON.parse(fs.readFileSync(IDENTITY, 'utf8'))
const tls = { key, cert: certificate, ca: authority, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' }
const limits = { handshakeTimeout: 3000, headersTimeout: 3000, requestTimeout: 0, maxHeaderSize: 4096 } // an archive takes as long as it is
const server = https.createServer({ ...tls, ...limits, connectionsCheckingInterval: 1000 }, onRequest)
server.maxConnections = 32
server.setTimeout(10_000)
server.listen(Number(PORT), '0.0.0.0')
process.on('SIGTERM', () => process.exit(0))
`
