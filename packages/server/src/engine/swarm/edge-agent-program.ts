/** Where the files of the edge are, in its container and in that of its agent. */
export const EDGE_DIRECTORY = '/edge'
export const EDGE_AGENT_PORT = 7444

/** What the agent of an edge answers, all as POST with a body of JSON. */
export const EDGE_CALLS = {
  look: '/look',
  write: '/write',
  keepOnly: '/keep-only',
  wipe: '/wipe',
  ask: '/ask',
  follow: '/follow',
  served: '/served',
  inspect: '/inspect',
  run: '/run',
  reload: '/reload',
  remove: '/remove',
  output: '/output',
  networks: '/networks',
  pull: '/pull',
} as const

/**
 * Runs on each other server whose edge is on, and does there what the control plane does for the edge of its own: it writes the files that
 * HAProxy reads when it starts, passes commands to its socket, collects the lines of its log of requests, and keeps its container and the networks that it is in. It answers whoever
 * has the certificate of the control plane, on the calls above. What the container may do is decided here: of it, a caller chooses only the
 * image and the networks. Keys are written, compared and removed, and never read out.
 */
export const EDGE_AGENT = `
const crypto = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')
const net = require('node:net')
const { INSTANCE, CALLER, IDENTITY, SOCKET, PORT, DIR, LABELS, FINGERPRINT_LABEL } = process.env
const NAME = 'berth-' + INSTANCE + '-edge'
const FILE = new RegExp('^' + DIR + '/(haproxy\\\\.cfg|maps/[a-z]+\\\\.map|pages/[a-z0-9.-]+|certs/((list|refused)\\\\.txt|[a-z0-9.-]+\\\\.pem))$')
const ID = /^[a-z0-9]{10,80}$/
const IMAGE = /^[a-z0-9.:/_-]{1,300}@sha256:[0-9a-f]{64}$/
const MOST_BYTES = 16 * 1024 * 1024
const MOST_AT_ONCE = 16
const ENGINE_MS = 20_000
const PULL_MS = 120_000
const SOCKET_MS = 5000
const MOST_LINES_BYTES = 4 * 1024 * 1024
const LITTLE_BYTES = 8192
const REST_MS = 500
const RECONNECT_MS = 2000
const FOLDERS = ['maps', 'pages', 'certs', 'run']

class Refused extends Error {
  constructor(status, message) { super(message); this.status = status }
}
const check = (isRight, what) => { if (!isRight) throw new Refused(400, 'This is not ' + what + '.') }
const fileOf = (path) => (check(typeof path === 'string' && FILE.test(path), 'a file of the edge'), path)

const engine = (method, path, { body, headers = {}, ms = ENGINE_MS } = {}) => new Promise((resolve, reject) => {
  const text = body === undefined ? '' : JSON.stringify(body)
  const all = { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }) }
  const options = { socketPath: SOCKET, method, path, headers: all, agent: false, signal: AbortSignal.timeout(ms) }
  const request = http.request(options, (response) => {
    const chunks = []
    let bytes = 0
    response.on('error', reject)
    response.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes > MOST_BYTES) request.destroy(new Error('the answer is too long'))
      else chunks.push(chunk)
    })
    response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks) }))
  })
  request.on('error', reject)
  request.end(text)
})
const messageOf = (body) => { try { return JSON.parse(body.toString()).message } catch { return body.toString().slice(0, 300) } }
const ordered = async (method, path, options, fine = []) => {
  const answer = await engine(method, path, options)
  if (answer.status < 300 || fine.includes(answer.status)) return answer
  throw new Refused(answer.status === 404 ? 404 : 409, messageOf(answer.body))
}
const inspected = async () => {
  const found = await ordered('GET', '/containers/' + NAME + '/json', {}, [404])
  return found.status === 404 ? undefined : JSON.parse(found.body.toString())
}

const writeDurably = (path, text) => {
  const file = fs.openSync(path + '.new', 'w', 0o600)
  try { fs.writeFileSync(file, text); fs.fsyncSync(file) } finally { fs.closeSync(file) }
  fs.renameSync(path + '.new', path)
  const folder = fs.openSync(path.slice(0, path.lastIndexOf('/')), 'r')
  try { fs.fsyncSync(folder) } finally { fs.closeSync(folder) }
}

const ask = (socket, command) => new Promise((resolve, reject) => {
  const chunks = []
  const connection = net.connect(DIR + '/run/' + socket + '.sock')
  const timer = setTimeout(() => connection.destroy(new Error('no answer in time')), SOCKET_MS)
  connection.on('connect', () => connection.end(command + '\\n'))
  connection.on('data', (chunk) => chunks.push(chunk))
  connection.on('error', (cause) => reject(new Refused(409, 'HAProxy does not answer: ' + cause.message)))
  connection.on('close', (hadError) => { clearTimeout(timer); if (!hadError) resolve(Buffer.concat(chunks).toString()) })
})

// Many lines at a time, with pauses: HAProxy would otherwise be woken for every request.
let lines = ''
let following
const wholeLines = () => lines.slice(0, lines.lastIndexOf('\\n') + 1)
const follow = () => {
  lines = wholeLines()
  let isFirst = true
  const read = (bytes, buffer) => {
    if (lines.length < MOST_LINES_BYTES) lines += buffer.toString('latin1', 0, bytes)
    const isMore = isFirst || bytes >= LITTLE_BYTES
    isFirst = !isMore
    if (!isMore) setTimeout(() => mine.resume(), REST_MS)
    return isMore
  }
  const before = following
  const mine = net.connect({ path: DIR + '/run/haproxy.sock', onread: { buffer: Buffer.alloc(65536), callback: read } })
  mine.on('connect', () => mine.write('show events access -w -n\\n'))
  mine.on('error', () => undefined)
  mine.on('close', () => { if (following === mine) setTimeout(() => { if (following === mine) follow() }, RECONNECT_MS) })
  following = mine
  before?.destroy()
}
follow()

const ports = ['80/tcp', '443/tcp']
const request = ({ image, fingerprint, network }) => ({
  Image: image,
  Cmd: ['haproxy', '-W', '-db', '-S', DIR + '/run/master.sock,mode,600', '-f', DIR + '/haproxy.cfg'],
  User: '0:0',
  Labels: { ...JSON.parse(LABELS), [FINGERPRINT_LABEL]: fingerprint },
  ExposedPorts: Object.fromEntries(ports.map((port) => [port, {}])),
  StopSignal: 'SIGUSR1',
  StopTimeout: 30,
  HostConfig: {
    NetworkMode: network,
    // IPv4 alone: for IPv6 the engine itself would pass connections on, without the address of the visitor
    PortBindings: Object.fromEntries(ports.map((port) => [port, [{ HostIp: '0.0.0.0', HostPort: port.split('/')[0] }]])),
    Mounts: [
      { Type: 'volume', Source: NAME, Target: DIR, ReadOnly: true },
      { Type: 'volume', Source: NAME + '-run', Target: DIR + '/run', ReadOnly: false },
    ],
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    CapAdd: ['NET_BIND_SERVICE', 'SETUID', 'SETGID', 'CHOWN', 'DAC_OVERRIDE', 'KILL'],
    SecurityOpt: ['no-new-privileges'],
    RestartPolicy: { Name: 'always' },
    Ulimits: [{ Name: 'nofile', Soft: 20000, Hard: 20000 }],
    LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
  },
})
const join = async (id) => {
  const body = { Container: NAME }
  const answer = await engine('POST', '/networks/' + id + '/connect', { body })
  if (answer.status < 300 || messageOf(answer.body).includes('already')) return
  throw new Refused(409, messageOf(answer.body))
}
const leave = async (id) => await ordered('POST', '/networks/' + id + '/disconnect', { body: { Container: NAME, Force: true } }, [404])
const removed = async () => {
  const found = await inspected()
  if (found === undefined) return
  await ordered('POST', '/containers/' + NAME + '/stop?t=5', {}, [304, 404])
  await ordered('DELETE', '/containers/' + NAME + '?force=true', {}, [404])
}
const networksOf = (ids) => (check(Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === 'string' && ID.test(id)), 'a list of networks'), ids)

const CALLS = {
  '/look': ({ path }) => {
    const contents = fs.existsSync(fileOf(path)) ? fs.readFileSync(path) : null
    if (contents === null) return { hash: null, text: null }
    return { hash: crypto.createHash('sha256').update(contents).digest('hex'), text: path.endsWith('.pem') ? null : contents.toString() }
  },
  '/write': ({ path, text }) => {
    check(typeof text === 'string', 'a text')
    for (const folder of FOLDERS) fs.mkdirSync(DIR + '/' + folder, { recursive: true, mode: 0o700 })
    writeDurably(fileOf(path), text)
  },
  '/keep-only': ({ paths }) => {
    const kept = new Set(paths.map(fileOf))
    for (const name of fs.readdirSync(DIR + '/certs')) {
      const path = DIR + '/certs/' + name
      if (/\\.pem(\\.new)?$/.test(name) && !kept.has(path)) fs.rmSync(path)
    }
  },
  '/wipe': () => {
    for (const folder of FOLDERS) if (folder !== 'run') fs.rmSync(DIR + '/' + folder, { recursive: true, force: true })
    fs.rmSync(DIR + '/haproxy.cfg', { force: true })
  },
  '/ask': async ({ socket, command }) => {
    check(socket === 'haproxy' || socket === 'master', 'a socket of the edge')
    check(typeof command === 'string', 'a command')
    return { answer: await ask(socket, command) }
  },
  '/follow': () => follow(),
  '/served': () => {
    const whole = wholeLines()
    lines = lines.slice(whole.length)
    return { lines: whole }
  },
  '/inspect': async () => {
    const found = await inspected()
    if (found === undefined) return { state: 'absent' }
    return { state: found.State.Running ? 'running' : 'stopped', fingerprint: found.Config.Labels[FINGERPRINT_LABEL] ?? '' }
  },
  '/run': async ({ image, fingerprint, networks }) => {
    check(typeof image === 'string' && IMAGE.test(image), 'an image with its digest')
    check(typeof fingerprint === 'string' && ID.test(fingerprint), 'a fingerprint')
    const [network, ...others] = networksOf(networks)
    await removed()
    await ordered('POST', '/containers/create?name=' + NAME, { body: request({ image, fingerprint, network }) })
    for (const id of others) await join(id)
    await ordered('POST', '/containers/' + NAME + '/start', {}, [304])
  },
  '/reload': async () => void (await ordered('POST', '/containers/' + NAME + '/kill?signal=SIGUSR2')),
  '/remove': removed,
  '/output': async () => {
    const { body } = await ordered('GET', '/containers/' + NAME + '/logs?stdout=true&stderr=true&tail=20', {}, [404])
    return { output: body.toString().replaceAll(/[^\\x20-\\x7e\\n]/g, '') }
  },
  '/networks': async ({ networks }) => {
    const wanted = networksOf(networks)
    const found = await inspected()
    if (found === undefined) return
    const joined = Object.values(found.NetworkSettings.Networks).map(({ NetworkID }) => NetworkID)
    for (const id of wanted) if (!joined.includes(id)) await join(id)
    for (const id of joined) if (!wanted.includes(id)) await leave(id)
  },
  '/pull': async ({ image, auth }) => {
    check(typeof image === 'string' && IMAGE.test(image), 'an image with its digest')
    check(typeof auth === 'string' && /^[A-Za-z0-9_=-]*$/.test(auth), 'a password')
    if ((await engine('GET', '/images/' + image + '/json')).status === 200) return
    const options = { headers: auth === '' ? {} : { 'x-registry-auth': auth }, ms: PULL_MS }
    const { body } = await ordered('POST', '/images/create?fromImage=' + encodeURIComponent(image), options)
    const failed = body.toString().split('\\n').find((line) => line.includes('"errorDetail"'))
    if (failed !== undefined) throw new Refused(409, 'The image of the edge could not be pulled: ' + JSON.parse(failed).error)
  },
}

let before = Promise.resolve()
/** One after the other, so that no two of them change the container at once. */
const inTurn = (work) => {
  const mine = before.then(work)
  before = mine.catch(() => undefined)
  return mine
}
const MEANWHILE = new Set(['/look', '/write', '/ask', '/served'])

const read = async (request) => {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new Refused(413, 'This is too long.')
    chunks.push(chunk)
  }
  try { return JSON.parse(Buffer.concat(chunks).toString()) } catch { throw new Refused(400, 'This is not JSON.') }
}

const answer = async (request) => {
  const { method, url, socket } = request
  if (socket.getPeerCertificate().subject.CN !== CALLER) throw new Refused(403, 'Only the control plane may ask this agent.')
  if (method !== 'POST' || !Object.hasOwn(CALLS, url)) throw new Refused(403, 'This agent does not answer this call.')
  const given = await read(request)
  const work = async () => await CALLS[url](given)
  return MEANWHILE.has(url) ? await work() : await inTurn(work)
}

let underWay = 0
const onRequest = async (request, response) => {
  underWay += 1
  const { status, body } = await (underWay > MOST_AT_ONCE ? Promise.reject(new Refused(503, 'Too many calls at once.')) : answer(request)).then(
    (found) => ({ status: 200, body: found ?? {} }),
    (cause) => ({ status: cause instanceof Refused ? cause.status : 502, body: { message: cause.message } }),
  )
  underWay -= 1
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const { key, certificate, authority } = JSON.parse(fs.readFileSync(IDENTITY, 'utf8'))
const tls = { key, cert: certificate, ca: authority, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' }
const limits = { handshakeTimeout: 3000, headersTimeout: 3000, requestTimeout: 30_000, keepAliveTimeout: 20_000, maxHeaderSize: 4096 }
const server = https.createServer({ ...tls, ...limits, connectionsCheckingInterval: 1000 }, onRequest)
server.maxConnections = 32
server.listen(Number(PORT), '0.0.0.0')
process.on('SIGTERM', () => process.exit(0))
`
