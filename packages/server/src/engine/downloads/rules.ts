import { leastIn } from './pace.ts'

/**
 * `asked`: the engine has begun with it and says nothing more yet. `waiting`: for a place among the downloads of the engine. `local`: it is
 * being unpacked. `here`: all of it has arrived.
 */
export type LayerState = 'asked' | 'waiting' | 'arriving' | 'local' | 'here'
/** `order` is that of the beginnings; `moved` is of this window. */
export type Layer = { state: LayerState; current: number; order: number; beganAt: number; moved: number }

export type Download = {
  readonly kind: 'pull' | 'build'
  readonly layers: Map<string, Layer>
  /** A build that does nothing but wait for an image. It does not say for which layers. */
  isSilent: boolean
  /** Maybe for one that nobody else wants any more. */
  isDoubtful: boolean
}

/** For what may wait for somebody whom we do not know. */
const UNKNOWN_SPEED = 1 / 5
/** Another download of a layer is to blame if it brought less than this share of the least pace. */
const STUCK_SHARE = 1 / 16

export function isUnderWay(state: LayerState): boolean {
  return state === 'asked' || state === 'arriving'
}

function has({ layers }: Download, ...states: readonly LayerState[]): boolean {
  return [...layers.values()].some(({ state }) => states.includes(state))
}

/** How fast time passes for it. What waits for a place stands still while others have those; somebody outside Berth may have them too. */
export function speedOf(one: Download, all: Iterable<Download>): number {
  if (has(one, 'arriving')) return 1
  if (one.kind === 'build' && !one.isSilent) return 0
  if (has(one, 'asked')) return 1
  if (has(one, 'local')) return 0
  if (one.kind === 'pull' && !has(one, 'waiting')) return 1
  const othersArrive = [...all].some((other) => other !== one && has(other, 'arriving'))
  if (one.isDoubtful) return othersArrive ? UNKNOWN_SPEED : 1
  return othersArrive ? 0 : UNKNOWN_SPEED
}

/** Which layers it has been downloading for a while, and that hardly move. */
function stuckLayers({ layers }: Download, windowMs: number): string[] {
  const isStuck = ({ state, moved, beganAt }: Layer) =>
    isUnderWay(state) && performance.now() - beganAt > windowMs / 2 && moved < leastIn(windowMs) * STUCK_SHARE
  return [...layers].filter(([, layer]) => isStuck(layer)).map(([id]) => id)
}

/**
 * Who has to let go when one was too slow. The engine joins downloads of a layer, from wherever the first one gets it, and goes on as long as
 * anybody wants it. So whoever had the stuck layers first is to blame, and all others who want them have to let go too.
 */
export function letGo<One extends Download>(one: One, all: Iterable<One>, windowMs: number): { blamed: One[]; heldUp: One[] } {
  const stuck = stuckLayers(one, windowMs)
  const order = (each: One, id: string) => each.layers.get(id)?.order ?? Number.POSITIVE_INFINITY
  const wants = (each: One, id: string) => isUnderWay(each.layers.get(id)?.state ?? 'here')
  const sharing = [...all].filter((other) => other !== one && stuck.some((id) => wants(other, id)))
  const before = sharing.filter((other) => stuck.some((id) => wants(other, id) && order(other, id) < order(one, id)))
  const blamed = before.length === 0 ? [one] : before
  return { blamed, heldUp: [one, ...sharing].filter((each) => !blamed.includes(each)) }
}
