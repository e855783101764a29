import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { BuilderSilent, SpecRefused } from '../api/errors.ts'
import type { Transport } from '../api/transport.ts'
import { type Images, MOST_SETTINGS_BYTES } from '../images.ts'
import { type BuildFollower, followBuild } from './follow.ts'
import { BUILD_CGROUP, type BuildLimiter } from './limits.ts'

export type BuildRequest = BuildFollower & {
  readonly contextTar: Readable
  readonly dockerfile: string
  /** What the image is called. The build does not know it. */
  readonly tag: string
  readonly labels: Readonly<Record<string, string>>
  readonly memoryBytes?: number
  readonly cpus?: number
  /** Processes and threads of all builds together. */
  readonly processes?: number
  readonly target?: string
  /** Every step is run anew; what `--mount=type=cache` keeps stays. */
  readonly withoutCache?: boolean
  /** Who shares what build steps leave in the cache. Without it everybody does. */
  readonly cacheScope?: string
  /** They stay readable in the image's history: never a secret, never an app's environment. */
  readonly buildArgs?: Readonly<Record<string, string>>
}

/** A build within the limits that all builds of apps have. */
export type LimitedBuild = (request: Omit<BuildRequest, 'memoryBytes' | 'cpus' | 'processes'>) => Promise<{ imageId: string }>

const ASK_AGAIN_MS = 500
const LET_GO_MS = 10_000

type Deps = {
  transport: Transport
  images: Pick<Images, 'tag' | 'inspect' | 'remove'>
  limits: BuildLimiter
  cgroupDriver: () => Promise<string>
  /** A builder that works takes what is sent, and then says its first word at once, whatever there is to build. */
  firstWordMs?: number
}

/** Image builds with BuildKit over the engine's own API. A build never outlives our connection. */
export function createBuilder(deps: Deps) {
  const { transport, images, limits, cgroupDriver, firstWordMs = 60_000 } = deps

  return async function build(request: BuildRequest): Promise<{ imageId: string }> {
    const { memoryBytes, cpus, processes, signal } = request
    const capped = memoryBytes !== undefined
    if (capped) await limits.apply({ memoryBytes, cpus, processes })
    // A systemd-driven engine wants a slice of its own making here and fails the build otherwise.
    const cgroupparent = capped && (await cgroupDriver()) === 'cgroupfs' ? BUILD_CGROUP : undefined
    const buildid = randomUUID()
    signal.throwIfAborted() // here, because from the next line on it is listened to
    using connection = cutWhen({ signal, firstWordMs, askToEnd: (ended) => void cancel(transport, buildid, ended) })
    const sent = () => {
      connection.sent()
      request.onActivity?.()
    }
    const upload = Readable.from(noticing(request.contextTar, sent), { objectMode: false })
    try {
      const query = { ...queryOf(request), cgroupparent, buildid }
      const timeoutMs = Number.POSITIVE_INFINITY
      const answer = await transport.stream({ method: 'POST', path: '/build', query, upload, signal: connection.signal, timeoutMs })
      const imageId = await followBuild(answer.chunks, request, connection.heard)
      signal.throwIfAborted() // it may have ended well before the engine heard of the cancel
      await refuseLongSettings(images, imageId, signal)
      // Not by the build itself, which would print the name into the log.
      await images.tag(imageId, request.tag, signal)
      return { imageId }
    } catch (cause) {
      signal.throwIfAborted() // what the engine says of a cancelled build is not why it ended
      throw cause
    }
  }
}

async function refuseLongSettings(images: Pick<Images, 'inspect' | 'remove'>, imageId: string, signal: AbortSignal): Promise<void> {
  const image = await images.inspect(imageId, signal)
  if (image === null || image.settingsBytes <= MOST_SETTINGS_BYTES) return
  if (image.tags.length === 0) await images.remove(imageId, signal)
  throw new SpecRefused(
    'Dockerfile',
    `The image that was built has ${Math.ceil(image.settingsBytes / 1024)} KB of labels, variables and commands, and 64 KB are allowed. Keep long texts in files.`,
  )
}

type Cut = { signal: AbortSignal; firstWordMs: number; askToEnd: (ended: AbortSignal) => void }

/**
 * When the connection of a build is cut: once nobody wants it any more and the engine has had the time to end it, or when the engine took
 * the build and does nothing. The end is waited for, because BuildKit's scheduler can lock up for good, with all builds of the machine,
 * when steps are begun again while their cancelled twins still end.
 */
function cutWhen({ signal, firstWordMs, askToEnd }: Cut) {
  const cut = new AbortController()
  const ended = new AbortController()
  const unheard = setTimeout(() => cut.abort(new BuilderSilent(firstWordMs)), firstWordMs)
  let isHeard = false
  let letGo: NodeJS.Timeout | undefined
  const onAbort = () => {
    askToEnd(ended.signal)
    letGo = setTimeout(() => cut.abort(signal.reason), LET_GO_MS)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    signal: cut.signal,
    sent: () => void (isHeard || unheard.refresh()),
    heard: () => {
      isHeard = true
      clearTimeout(unheard)
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', onAbort)
      for (const timer of [unheard, letGo]) clearTimeout(timer)
      ended.abort()
      cut.abort()
    },
  }
}

async function* noticing(upload: Readable, sent: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of upload as AsyncIterable<Buffer>) {
    sent()
    yield chunk
  }
}

/** Asks until it has ended: the engine knows a build by its id only from the moment that it took it up. */
async function cancel(transport: Transport, buildid: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    // An engine that does not answer now may do so next time; if it never does, the connection is cut.
    await transport.json({ method: 'POST', path: '/build/cancel', query: { id: buildid }, signal: ended }).catch(() => undefined)
    await sleep(ASK_AGAIN_MS, undefined, { signal: ended }).catch(() => undefined)
  }
}

function queryOf(request: BuildRequest): Record<string, string | number | boolean | undefined> {
  return {
    version: '2',
    dockerfile: request.dockerfile,
    labels: JSON.stringify(request.labels),
    rm: true,
    forcerm: true,
    memory: request.memoryBytes,
    memswap: request.memoryBytes,
    target: request.target,
    nocache: request.withoutCache,
    ...cacheQuery(request),
  }
}

/**
 * BuildKit gives a step's result, and the directories of its `--mount=type=cache`, to every later build that asks alike. The scope makes the
 * builds of one project ask differently from all others: by a namespace for those directories, and by a host that only the
 * steps' /etc/hosts knows, which counts as a part of each `RUN`.
 */
function cacheQuery({ buildArgs, cacheScope }: BuildRequest): Record<string, string | undefined> {
  const args = { ...buildArgs, ...(cacheScope !== undefined && { BUILDKIT_CACHE_MOUNT_NS: cacheScope }) }
  return {
    buildargs: JSON.stringify(args),
    extrahosts: cacheScope === undefined ? undefined : `${cacheScope}.invalid:0.0.0.0`,
  }
}
