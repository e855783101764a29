import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { classNames } from '../lib/class-names.ts'
import type { LogView } from '../lib/log-buffer.ts'
import { Button } from './button.tsx'
import { LogLineText } from './log-line.tsx'
import type { LogOptions } from './log-toolbar.tsx'

const ROW_PX = 20
const OVERSCAN = 15
const NEAR_END_PX = 40

type Props = { view: LogView; options: LogOptions; empty: string }

/** Draws the visible lines and follows the end until the reader scrolls up. Remount it when `wrap` changes: heights are measured only then. */
export function LogLines({ view: { lines, version }, options: { filter, showTime, wrap }, empty }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const [following, setFollowing] = useState(true)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    // Stable functions: the virtualizer computes all positions again when one changes.
    getItemKey: useCallback((at: number) => lines[at]?.n ?? at, [lines]),
    rangeExtractor: useCallback((range: Range) => defaultRangeExtractor(following ? atEnd(range) : range), [following]),
    overscan: OVERSCAN,
  })
  const height = virtual.getTotalSize()
  const onScroll = useFollowing(scroller, setFollowing)

  // New lines and newly measured ones both move the end.
  useLayoutEffect(() => {
    if (following && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [version, following, height])

  return (
    <div className="relative min-h-0 flex-1">
      {/* A box that scrolls must be reachable by keyboard. */}
      <div
        ref={scroller}
        role="region"
        aria-label="Log"
        tabIndex={0}
        onScroll={onScroll}
        className="h-full overflow-auto py-1.5 font-mono text-[12.5px] leading-[20px] -outline-offset-2"
      >
        {lines.length === 0 && (
          <p className="p-3 text-ink-soft">{filter.search === '' && filter.stream === 'all' ? empty : 'No matching lines'}</p>
        )}
        <div className="relative" style={{ height }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index]
            return (
              line && (
                <div
                  key={line.n}
                  ref={wrap ? virtual.measureElement : undefined}
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
          <Button icon="end" kind="primary" onClick={() => setFollowing(true)}>
            Jump to latest
          </Button>
        </div>
      )}
    </div>
  )
}

/** While following, the last lines are rendered as they arrive, not one scroll event later. */
function atEnd(range: Range): Range {
  const last = range.count - 1
  return { ...range, startIndex: Math.max(0, last - (range.endIndex - range.startIndex)), endIndex: last }
}

/** New lines move the end away too, so only scrolling up means that the reader wants to stay. */
function useFollowing(scroller: React.RefObject<HTMLDivElement | null>, setFollowing: (following: boolean) => void): () => void {
  const lastTop = useRef(0)
  return () => {
    const box = scroller.current
    if (!box) return
    if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX) setFollowing(true)
    else if (box.scrollTop < lastTop.current) setFollowing(false)
    lastTop.current = box.scrollTop
  }
}
