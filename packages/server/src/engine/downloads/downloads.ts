import { TUNING } from '../../lib/tuning.ts'
import { PullTooSlow } from '../api/errors.ts'
import { createPace, type Pace } from './pace.ts'
import { type Download, isUnderWay, type Layer, type LayerState, letGo, speedOf } from './rules.ts'

type Followed = Download & { readonly pace: Pace; readonly controller: AbortController }

/** Somebody else downloaded the same layers too slowly. Whoever was not the first may try again. */
export class PullHeldUp extends Error {
  override readonly name = 'PullHeldUp'
  /** In the order of their beginning, so that the first one that tries again is not held up by the next. */
  readonly turn: number
  constructor(turn: number) {
    super('Another download of the same layers was too slow.')
    this.turn = turn
  }
}

/** A build shows what arrives by the MiB. That much for each layer takes a slow line this part of a window. */
const HIDDEN_SHARE = 1 / 12

/**
 * Everything that the engine downloads for us, followed together: pulls, and base images of builds. The places for downloads are few and
 * shared by all, and so are the downloads of a layer that several want, whatever registries they named.
 */
export function createDownloads(windowMs: number = TUNING.pullWindowMs) {
  const followed = new Set<Followed>()
  const saw = createSaw({ followed, settle, windowMs })

  function settle(): void {
    for (const one of followed) one.pace.set(one.controller.signal.aborted ? 0 : speedOf(one, followed))
  }

  function endOfWindow(one: Followed, isLate: boolean): void {
    if (isLate) end(one)
    for (const layer of one.layers.values()) layer.moved = 0
  }

  function end(one: Followed): void {
    const { blamed, heldUp } = letGo(one, followed, windowMs)
    for (const each of blamed) each.controller.abort(new PullTooSlow())
    for (const [turn, each] of heldUp.entries()) each.controller.abort(each.kind === 'build' ? new PullTooSlow() : new PullHeldUp(turn))
    for (const each of followed) each.isDoubtful ||= each.isSilent
    settle()
  }

  /** Its signal ends with the given one, or when it is too slow. */
  function follow(kind: Download['kind'], signal: AbortSignal) {
    const controller = new AbortController()
    const pace = createPace({ windowMs, onWindow: (isLate) => endOfWindow(one, isLate) })
    const one: Followed = { kind, layers: new Map(), isSilent: false, isDoubtful: false, pace, controller }
    followed.add(one)
    settle()
    return {
      signal: AbortSignal.any([signal, controller.signal]),
      /** `current` is how much of the layer is here. */
      layer: (id: string, state: LayerState, current = 0) => saw(one, id, { state, current }),
      /** Of a build: whether it waits for an image, and does nothing else. */
      silent: (isSilent: boolean): void => {
        if (one.isSilent === isSilent) return
        one.isSilent = isSilent
        settle()
      },
      [Symbol.dispose]() {
        followed.delete(one)
        pace.end()
        settle()
      },
    }
  }

  return { follow }
}

type Following = { followed: ReadonlySet<Followed>; settle: () => void; windowMs: number }

/** Takes in what the engine says about a layer. */
function createSaw({ followed, settle, windowMs }: Following) {
  let begun = 0

  /** Of others that joined this download, to whom the engine does not show what arrives. */
  function tellJoined(one: Followed, id: string, bytes: number): void {
    for (const other of followed) {
      const layer = other === one ? undefined : other.layers.get(id)
      if (layer?.state !== 'asked') continue
      layer.moved += bytes
      other.pace.moved(bytes)
    }
  }

  function layerOf(one: Followed, id: string): Layer {
    const known = one.layers.get(id)
    if (known !== undefined) return known
    begun += 1
    const layer: Layer = { state: 'asked', current: 0, order: begun, beganAt: performance.now(), moved: 0 }
    one.layers.set(id, layer)
    if (one.kind === 'build') one.pace.grant(windowMs * HIDDEN_SHARE)
    return layer
  }

  return function saw(one: Followed, id: string, { state, current }: { state: LayerState; current: number }): void {
    const layer = layerOf(one, id)
    const before = layer.state
    if (before === 'waiting' && isUnderWay(state)) layer.beganAt = performance.now()
    layer.state = state
    if (state === 'arriving') {
      const moved = current < layer.current ? current : current - layer.current // an engine that tries again begins anew
      layer.current = current
      layer.moved += moved
      one.pace.moved(moved)
      if (moved > 0) one.isDoubtful = false
      if (moved > 0) tellJoined(one, id, moved)
    }
    if (before !== state || state === 'asked') settle()
  }
}

export type Downloads = ReturnType<typeof createDownloads>
export type FollowedDownload = ReturnType<Downloads['follow']>
