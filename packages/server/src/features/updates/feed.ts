import type { Settings } from '@berth/contract'
import { AppError } from '../../lib/app-error.ts'
import { withoutTrailing } from '../../lib/without-trailing.ts'
import { fetchText } from './fetch-url.ts'
import { BadIndex, chooseRelease, type Release, readIndex } from './release-index.ts'
import type { Chosen } from './run-update.ts'

type Deps = {
  version: string
  platform: string
  settings: () => Pick<Settings, 'updateFeed' | 'updateChannel'>
  /** Of the environment: replace those of the settings and of the product. */
  given: { feed: string; key: string }
  keys: readonly string[]
  ca: readonly string[] | undefined
  /** How long an answer is good for. */
  freshMs: number
  now: () => Date
}
export type Look = { readonly at: Date; readonly chosen: Chosen | undefined }

const ENDS_WITHIN_MS = 60_000

/** The newest version that can be had. */
export function createFeed(deps: Deps) {
  let last: { place: string; beganAt: Date; isOver: boolean; answer: Promise<Look> } | undefined
  const address = () => withoutTrailing(deps.given.feed || deps.settings().updateFeed, '/')
  const place = () => `${address()} ${deps.settings().updateChannel}`
  const isFresh = (beganAt: Date) => deps.now().getTime() - beganAt.getTime() < deps.freshMs

  /** One request at a time, and not a second one soon after, also if it failed: anybody who is logged in may ask. */
  async function look(): Promise<Look> {
    if (address() === '') return { at: deps.now(), chosen: undefined }
    if (last?.place === place() && (!last.isOver || isFresh(last.beganAt))) return await last.answer
    const asked = { place: place(), beganAt: deps.now(), isOver: false, answer: ask() }
    last = asked
    try {
      return await asked.answer
    } finally {
      asked.isOver = true
    }
  }

  /** A failure is told as one of the feed. */
  async function ask(): Promise<Look> {
    try {
      const releases = await readReleases()
      return { at: deps.now(), chosen: choose(releases) }
    } catch (cause) {
      const why =
        cause instanceof BadIndex ? `the index at ${withoutCredentials(address())} cannot be used, ${cause.message}` : words(cause)
      throw new AppError('update_feed_failed', { message: `Could not check for updates: ${why}.`, cause })
    }
  }

  async function readReleases(): Promise<Release[]> {
    const text = await fetchText(`${address()}/index.json`, { ca: deps.ca, signal: AbortSignal.timeout(ENDS_WITHIN_MS) })
    return readIndex(text, deps.given.key === '' ? deps.keys : [deps.given.key])
  }

  function choose(releases: readonly Release[]): Chosen | undefined {
    const { version, platform } = deps
    const release = chooseRelease(releases, { version, platform, channel: deps.settings().updateChannel })
    const archive = release?.archives[platform]
    return release && archive && { release, archive, url: `${address()}/${archive.file}` }
  }

  return { look, hasAddress: () => address() !== '' }
}

function withoutCredentials(address: string): string {
  const url = new URL(address)
  url.username = ''
  url.password = ''
  return url.href
}

function words(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

export type Feed = ReturnType<typeof createFeed>
