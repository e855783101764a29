import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { classNames } from '../lib/class-names.ts'
import type { LogView } from '../lib/log-buffer.ts'
import { Button } from './button.tsx'
import { LogLineText } from './log-line.tsx'
import type { LogOptions } from './log-toolbar.tsx'

const ROW_PX = 20
const OVERSCAN = 15
const NEAR_END_PX = 40

type Props = { view: LogView; options: LogOptions; empty: string }
type Row = { index: number; start: number }

/** Lines of one height: where a row is follows from its number, however long the log is. */
export function FixedLines(props: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const count = props.view.lines.length
  const [following, setFollowing] = useState(true)
  const { first, last } = useWindow(scroller, count, following)
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, at): Row => ({ index: first + at, start: (first + at) * ROW_PX }))
  return <Scroller {...props} scroller={scroller} rows={rows} height={count * ROW_PX} following={following} onFollow={setFollowing} />
}

/** Long lines take several rows, so those that have been seen are measured. */
export function WrappedLines(props: Props) {
  const { lines } = props.view
  const scroller = useRef<HTMLDivElement>(null)
  const [following, setFollowing] = useState(true)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => lines[at]?.n ?? at,
    overscan: OVERSCAN,
  })
  return (
    <Scroller
      {...props}
      scroller={scroller}
      rows={virtual.getVirtualItems()}
      height={virtual.getTotalSize()}
      measure={virtual.measureElement}
      following={following}
      onFollow={setFollowing}
    />
  )
}

/** The rows in sight and a few around them. Who follows the end sees it at once, not after the scrolling has caught up. */
function useWindow(scroller: RefObject<HTMLDivElement | null>, count: number, following: boolean): { first: number; last: number } {
  const [seen, setSeen] = useState({ from: 0, rows: 60 })
  useEffect(() => {
    const box = scroller.current
    if (!box) return undefined
    const look = (): void => {
      const next = { from: Math.floor(box.scrollTop / ROW_PX), rows: Math.ceil(box.clientHeight / ROW_PX) }
      setSeen((before) => (before.from === next.from && before.rows === next.rows ? before : next))
    }
    const observer = new ResizeObserver(look)
    observer.observe(box)
    box.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', look)
    }
  }, [scroller])
  const end = Math.max(0, count - seen.rows)
  const from = following ? end : Math.min(seen.from, end) // a filter may have left fewer lines than were scrolled past
  return { first: Math.max(0, from - OVERSCAN), last: Math.min(count, from + seen.rows + OVERSCAN) }
}

type ScrollerProps = Props & {
  scroller: RefObject<HTMLDivElement | null>
  rows: readonly Row[]
  height: number
  measure?: (element: Element | null) => void
  following: boolean
  onFollow: (following: boolean) => void
}

/** Draws the rows in sight, and follows the end until one scrolls up. */
function Scroller({
  view: { lines, version },
  options: { filter, showTime, wrap },
  empty,
  scroller,
  rows,
  height,
  measure,
  following,
  onFollow,
}: ScrollerProps) {
  const lastTop = useRef(0)

  // New lines and newly measured ones both move the end.
  useLayoutEffect(() => {
    if (following && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [scroller, version, following, height])

  function scrolled(): void {
    const box = scroller.current
    if (!box) return
    // Lines that arrive move the end away too: only going up means that the reader wants to stay.
    if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX) onFollow(true)
    else if (box.scrollTop < lastTop.current) onFollow(false)
    lastTop.current = box.scrollTop
  }

  return (
    <div className="relative min-h-0 flex-1">
      {/* A box that scrolls must be reachable by keyboard. */}
      <div
        ref={scroller}
        role="region"
        aria-label="Log"
        tabIndex={0}
        onScroll={scrolled}
        className="h-full overflow-auto py-1.5 font-mono text-[12.5px] leading-[20px] -outline-offset-2"
      >
        {lines.length === 0 && (
          <p className="p-3 text-ink-soft">{filter.search === '' && filter.stream === 'all' ? empty : 'No line matches.'}</p>
        )}
        <div className="relative" style={{ height }}>
          {rows.map(({ index, start }) => {
            const line = lines[index]
            return (
              line && (
                <div
                  key={line.n}
                  ref={measure}
                  data-index={index}
                  className={classNames(
                    'absolute top-0 left-0 min-w-full',
                    wrap ? 'w-full break-all whitespace-pre-wrap' : 'whitespace-pre',
                  )}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <LogLineText line={line} search={filter.search} showTime={showTime} />
                </div>
              )
            )
          })}
        </div>
      </div>
      {!following && (
        <div className="absolute right-4 bottom-3">
          <Button icon="end" kind="primary" onClick={() => onFollow(true)}>
            Jump to the end
          </Button>
        </div>
      )}
    </div>
  )
}
