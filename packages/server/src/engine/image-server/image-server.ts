import { coalesce } from '../../lib/coalesce.ts'
import { errorCode } from '../../lib/error-code.ts'
import { type Certified, issuedFor } from '../../lib/x509.ts'
import { EngineError } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import type { EngineFacts } from '../facts.ts'
import type { Images } from '../images.ts'
import type { RegistryCredentials } from '../registry.ts'
import type { Swarm } from '../swarm/swarm.ts'
import { createImageStore } from './image-store.ts'
import { createLentImages } from './lent-images.ts'
import { listen, type Named } from './listener.ts'

/** Who the image server is: the authority that other servers are told to trust, and the password that they get with each service. */
export type ImageServerIdentity = { readonly authority: Certified & { readonly name: string }; readonly password: string }
export type ImageServerSettings = {
  readonly instance: string
  readonly directory: string
  readonly port: number
  /** As much disk space stays free. */
  readonly floorBytes: number
  /** Made at the first call, and kept. */
  readonly identity: () => Promise<ImageServerIdentity>
  /** Of several control planes on this machine, one listens. */
  readonly mayListen: () => boolean
  /** Of a project: people take turns. */
  readonly ownerOf: (projectId: number) => Promise<number | undefined>
  /** Whether apps can run on other servers at all. */
  readonly isUsed: () => boolean
}
type Deps = {
  transport: Transport
  images: Images
  swarm: Pick<Swarm, 'state' | 'nodes'>
  facts: () => Promise<EngineFacts>
  /** Whether there is a Swarm of ours. Must not ask the engine. */
  isSwarm: () => Promise<boolean>
  /** The names with digests of the images that services use. */
  usedImages: (instance: string) => Promise<readonly string[]>
  now: () => Date
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

const USERNAME = 'berth'
const DAY_MS = 24 * 3600_000
const VALID_MS = 3650 * DAY_MS
/** A process that was just replaced may still have the port. */
const PATIENCE = 4

/** Where other servers reach this one. */
function createOwnAddress({ swarm }: Pick<Deps, 'swarm'>, instance: string) {
  return async (): Promise<string> => {
    const state = await swarm.state(instance)
    const address = state.is === 'ours' ? (await swarm.nodes()).find(({ id }) => id === state.nodeId)?.address : undefined
    if (address === undefined) throw new EngineError(503, 'There is no Swarm of this Berth.')
    return address
  }
}

type Listening = { ownAddress: () => Promise<string>; open: (address: string) => Promise<{ close: () => Promise<void> }> }

/** Listens on the address that servers join at, and only while there is a Swarm. */
function createListening({ isSwarm, log }: Pick<Deps, 'isSwarm' | 'log'>, settings: ImageServerSettings, { ownAddress, open }: Listening) {
  const { port } = settings
  let running: { address: string; close: () => Promise<void> } | undefined
  let [failures, problem] = [0, '']

  async function close(): Promise<void> {
    const ending = running
    running = undefined
    await ending?.close()
  }

  async function tryToListen(address: string): Promise<void> {
    try {
      running = { address, ...(await open(address)) }
      ;[failures, problem] = [0, '']
      log.info({ address, port }, 'other servers can pull images')
    } catch (err) {
      failures += 1
      if (failures < PATIENCE) return
      if (problem === '') log.warn({ err, address, port }, 'other servers cannot pull images')
      problem = `Apps run on this server only, because Berth cannot listen on ${address}:${port}, where the others get the images (${errorCode(err) ?? 'an error'}). Free that port, or choose another one with BERTH_IMAGE_PORT and start Berth again.`
    }
  }

  /** Called repeatedly. */
  const keep = coalesce(async (): Promise<void> => {
    if (!settings.isUsed() || !settings.mayListen() || !(await isSwarm())) {
      ;[failures, problem] = [0, '']
      return await close()
    }
    const address = await ownAddress()
    if (running?.address === address) return
    await close()
    await tryToListen(address)
  })

  return { keep, close, problem: () => problem }
}

/** A registry from which the other servers pull images of this engine by their digests. Nobody can push to it. */
export function createImageServer(deps: Deps, settings: ImageServerSettings) {
  const { log, now } = deps
  const { instance, port, identity } = settings
  const store = createImageStore({ ...deps, ...settings })
  const lent = createLentImages()
  const ownAddress = createOwnAddress(deps, instance)
  const ownHost = async () => `${await ownAddress()}:${port}`
  const { keep, close, problem } = createListening(deps, settings, { ownAddress, open })

  async function open(address: string): Promise<{ close: () => Promise<void> }> {
    const { authority, password } = await identity()
    const at = now().getTime()
    const times = { notBefore: new Date(at - DAY_MS), notAfter: new Date(at + VALID_MS) }
    const { certificate: cert, key } = issuedFor(authority, { address, ...times })
    const found = {
      manifest: async ({ name, digest }: Named) => lent.manifest(name, digest) ?? (await store.manifest(name, digest)),
      blob: async ({ name, digest }: Named) => lent.blob(name, digest) ?? (await store.blob(name, digest)),
    }
    return await listen({ ...found, log }, { address, port, tls: { key, cert }, credentials: { username: USERNAME, password } })
  }

  /** The name and digest under which the other servers can pull an image of this engine. */
  async function publish(image: string, signal?: AbortSignal, projectId?: number): Promise<string> {
    await keep() // after a start there may be something to deploy before the first look
    const { name, digest } = await store.publish(image, signal, projectId === undefined ? undefined : await settings.ownerOf(projectId))
    return `${await ownHost()}/${name}@${digest}`
  }

  async function credentials(): Promise<RegistryCredentials> {
    return { host: await ownHost(), username: USERNAME, password: (await identity()).password }
  }

  /** What another server needs to trust this one: where its engine looks for it, and the certificate. */
  async function trust(): Promise<{ host: string; certificate: string }> {
    return { host: await ownHost(), certificate: (await identity()).authority.certificate }
  }

  /** An image that no server has, to find out whether one can pull. */
  async function lend() {
    await keep()
    const [os = '', architecture = ''] = (await deps.facts()).platform.split('/')
    const access = await credentials()
    const { name, digest, end } = lent.lend({ os, architecture })
    return { image: `${access.host}/${name}@${digest}`, credentials: access, end }
  }

  async function cleanUp(): Promise<void> {
    if (!(await deps.isSwarm())) return await store.removeAll()
    const used = await deps.usedImages(instance)
    await store.cleanUp(new Set(used.map((image) => image.slice(image.indexOf('/') + 1))))
  }

  return { keep, publish, credentials, trust, lend, cleanUp, close, problem, isUsed: settings.isUsed, port }
}

export type ImageServer = ReturnType<typeof createImageServer>
