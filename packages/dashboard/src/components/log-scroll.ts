import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { LogLine } from '../lib/log-buffer.ts'

const NEAR_END_PX = 40
/** More lines are asked for before the reader is there. */
const NEAR_EDGE_PX = 2000
export const ROW_PX = 20

type Scrolling = {
  follows: boolean
  setFollowing: (following: boolean) => void
  onTop: (() => void) | undefined
  onBottom: (() => void) | undefined
}

/** New lines move the end away too, so only scrolling up means that the reader wants to stay. */
export function useScrolling(
  scroller: RefObject<HTMLDivElement | null>,
  { follows, setFollowing, onTop, onBottom }: Scrolling,
): () => void {
  const lastTop = useRef(0)
  return () => {
    const box = scroller.current
    if (!box) return
    const below = box.scrollHeight - box.scrollTop - box.clientHeight
    const isUp = box.scrollTop < lastTop.current
    if (follows && below < NEAR_END_PX && onBottom === undefined) setFollowing(true)
    else if (isUp) setFollowing(false)
    if (isUp && box.scrollTop < NEAR_EDGE_PX) onTop?.()
    if (!isUp && below < NEAR_EDGE_PX) onBottom?.()
    lastTop.current = box.scrollTop
  }
}

/** Lines that are put in front must not move those that are being read. */
export function useKeptPlace(scroller: RefObject<HTMLDivElement | null>, lines: readonly LogLine[], following: boolean): void {
  const before = useRef<{ first: number; last: number } | undefined>(undefined)
  const first = lines[0]?.n
  const last = lines.at(-1)?.n
  useLayoutEffect(() => {
    const known = before.current
    before.current = first === undefined || last === undefined ? undefined : { first, last }
    if (!known || first === undefined || last === undefined || following || !scroller.current) return
    if (first < known.first && last >= known.first) scroller.current.scrollTop += lines.findIndex(({ n }) => n >= known.first) * ROW_PX
  }, [first, last])
}

type Ends = { version: number; height: number; following: boolean; onShort: (() => void) | undefined }

/** Keeps the end in view, and asks for more where the lines do not fill the box: such a box cannot be scrolled. */
export function useEnds(scroller: RefObject<HTMLDivElement | null>, { version, height, following, onShort }: Ends): void {
  // New lines and newly measured ones both move the end.
  useLayoutEffect(() => {
    if (following && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [version, following, height])
  // So does another size of the box: its toolbar may grow, or a phone be turned. The content is observed too, because right after lines
  // were measured Chromium may still answer with the scroll height of before.
  useEffect(() => {
    const box = scroller.current
    if (!box || !following) return undefined
    const observer = new ResizeObserver(() => (box.scrollTop = box.scrollHeight))
    observer.observe(box)
    if (box.lastElementChild) observer.observe(box.lastElementChild)
    return () => observer.disconnect()
  }, [following])
  useEffect(() => {
    if (height < (scroller.current?.clientHeight ?? 0)) onShort?.()
  }, [version, height, onShort === undefined])
}
