/** A volume of an app on the agent's server. */
export function volumeCall(volume: string): string {
  return `/volumes/${volume}`
}

/** To create it there: the project is in its labels. */
export function newVolumeCall(volume: string, projectId: number): string {
  return `/volumes/${volume}?project=${projectId}`
}

/** Its contents as an archive, below `data`: read, or written into it. */
export function archiveCall(volume: string): string {
  return `/volumes/${volume}/archive`
}

/** Those of apps of this instance. */
export const VOLUMES_CALL = '/volumes'

/**
 * The part of the agent that is about volumes: whether one of an app is there and in use, to create it with our labels, and to remove it. A
 * volume that has the name and not the labels is somebody else's, and left alone. A removal can take minutes.
 *
 * The engine itself writes and reads archives, with owners and links, through a container that is never started and has nothing but the volume.
 */
export const VOLUME_CALLS = `
const NAME = '/volumes/(berth-' + INSTANCE + '-app-([1-9][0-9]{0,15})-volume(-[a-z0-9-]{1,32})?)'
const VOLUME = new RegExp('^' + NAME + '([?]project=([1-9][0-9]{0,15}))?$')
const ARCHIVE = new RegExp('^' + NAME + '/archive$')
const REMOVAL_MS = 600_000
const IDLE_MS = 120_000
const STOPPED = ['created', 'exited', 'dead']

const isOurVolume = (volume, app) => volume.Labels?.['berth.instance'] === INSTANCE && volume.Labels['berth.app'] === app
const withFilter = (path, filter) => path + '?filters=' + encodeURIComponent(JSON.stringify(filter))

const lookAtVolume = async (name, app) => {
  const found = await ask('/volumes/' + name)
  if (found.status === 404) return refused(404, 'There is no such volume here.')
  if (found.status !== 200) return found
  if (!isOurVolume(JSON.parse(found.body), app)) return refused(409, 'The volume ' + name + ' there does not have the labels of the app.')
  const users = await ask(withFilter('/containers/json', { volume: [name] }) + '&all=1')
  if (users.status !== 200) return users
  return reply(200, { name, isUsed: JSON.parse(users.body).some(({ State }) => !STOPPED.includes(State)) })
}

const createVolume = async (name, app, project) => {
  const Labels = { 'berth.instance': INSTANCE, 'berth.kind': 'volume', 'berth.project': project, 'berth.app': app }
  const made = await ask('/volumes/create', { method: 'POST', body: { Name: name, Labels } })
  return made.status === 201 ? await lookAtVolume(name, app) : made
}

const removeVolume = async (name, app) => {
  const found = await lookAtVolume(name, app)
  if (found.status !== 200) return found
  await ask('/containers/' + name + '-lent?force=1', { method: 'DELETE' })
  const removed = await ask('/volumes/' + name, { method: 'DELETE', ms: REMOVAL_MS })
  return removed.status === 204 ? reply(200, {}) : removed
}

const listVolumes = async () => {
  const found = await ask(withFilter('/volumes', { label: ['berth.instance=' + INSTANCE] }))
  if (found.status !== 200) return found
  return reply(200, (JSON.parse(found.body).Volumes ?? []).map(({ Name }) => Name).filter((name) => VOLUME.test('/volumes/' + name)))
}

const lend = async (name, app) => {
  const own = await ask('/containers/' + os.hostname() + '/json')
  const lent = '/containers/' + name + '-lent'
  await ask(lent + '?force=1', { method: 'DELETE' })
  const Labels = { 'berth.instance': INSTANCE, 'berth.kind': 'volume', 'berth.app': app, 'berth.lent': 'volumes' }
  const Mounts = [{ Type: 'volume', Source: name, Target: '/data', VolumeOptions: { NoCopy: true } }]
  const body = { Image: JSON.parse(own.body).Image, Cmd: ['/'], Labels, NetworkDisabled: true, HostConfig: { Mounts, NetworkMode: 'none' } }
  const made = await ask('/containers/create?name=' + name + '-lent', { method: 'POST', body })
  return made.status === 201 ? lent : made
}

const engineArchive = (lent, method) => {
  const path = lent + '/archive?' + (method === 'GET' ? 'path=/data' : 'path=/&noOverwriteDirNonDir=true')
  return http.request({ method, path, headers: { 'content-type': 'application/x-tar' }, socketPath: SOCKET, agent: false, timeout: IDLE_MS })
}

const passArchive = (lent, request, response) => new Promise((resolve, reject) => {
  const engine = engineArchive(lent, request.method)
  engine.on('timeout', () => engine.destroy(new Error('the engine is silent')))
  engine.on('error', reject)
  response.on('close', () => { engine.destroy(); reject(new Error('the caller has left')) })
  engine.on('response', (answer) => {
    answer.on('error', reject)
    if (request.method === 'GET' && answer.statusCode === 200) {
      response.writeHead(200, { 'content-type': 'application/x-tar', connection: 'close' })
      answer.on('data', (chunk) => { if (!response.write(chunk)) { answer.pause(); response.once('drain', () => answer.resume()) } })
      return answer.on('end', () => response.end(() => resolve(null)))
    }
    const chunks = []
    answer.on('data', (chunk) => { if (chunks.length < 16) chunks.push(chunk) })
    answer.on('end', () => resolve({ status: answer.statusCode, body: Buffer.concat(chunks).toString() || '{}' }))
  })
  if (request.method === 'PUT') request.pipe(engine)
  else engine.end()
})

const onArchive = async (request, response, [, name, app]) => {
  if (!['GET', 'PUT'].includes(request.method)) return refused(403, 'This agent does not answer this call.')
  const found = await lookAtVolume(name, app)
  if (found.status !== 200) return found
  if (JSON.parse(found.body).isUsed) return refused(409, 'A container still uses the volume.')
  const lent = await lend(name, app)
  if (typeof lent !== 'string') return lent
  request.socket.setTimeout(IDLE_MS)
  try {
    return await passArchive(lent, request, response)
  } finally {
    await ask(lent + '?force=1', { method: 'DELETE' }).catch(() => undefined)
  }
}

const onVolume = async (method, [, name, app, , , project]) => {
  if (method === 'GET') return await lookAtVolume(name, app)
  if (method === 'PUT' && project !== undefined) return await createVolume(name, app, project)
  return method === 'DELETE' ? await removeVolume(name, app) : refused(403, 'This agent does not answer this call.')
}
`
