import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { classNames } from '../lib/class-names.ts'
import type { LogLine } from '../lib/log-buffer.ts'
import { Button } from './button.tsx'
import { LogLineText } from './log-line.tsx'
import { ROW_PX, useEnds, useKeptPlace, useScrolling } from './log-scroll.ts'

/** Rows outside the box are painted too. Nobody scrolls while the end is followed. */
const OVERSCAN = { reading: 15, following: 2 } as const

type Props = {
  lines: readonly LogLine[]
  /** Changes whenever lines are added. */
  version: number
  wrap: boolean
  showTime: boolean
  search: string
  empty: string
  /** Stays at the end while lines come in, until the reader scrolls up. */
  follows: boolean
  /** The line to scroll to and to mark, by its key. */
  target: number | undefined
  /** A line with a gap before it: lines are left out there. */
  hasGapBefore?: (at: number) => boolean
  onTop?: () => void
  onBottom?: () => void
  onLink?: (id: string) => void
  /** The button that leads to the newest lines. */
  onLatest?: () => void
}

/** Draws the visible lines. Remount it when `wrap` changes: heights are measured only then. */
export function LogLines(props: Props) {
  const { lines, version, wrap, showTime, search, empty, follows, target, hasGapBefore, onLink, onLatest } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [following, setFollowing] = useState(follows && target === undefined)
  const { open, toggle } = useOpenLines()
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    // Stable functions: the virtualizer computes all positions again when one changes.
    getItemKey: useCallback((at: number) => lines[at]?.n ?? at, [lines]),
    rangeExtractor: useCallback((range: Range) => defaultRangeExtractor(following ? atEnd(range) : range), [following]),
    overscan: following ? OVERSCAN.following : OVERSCAN.reading,
  })
  // The virtualizer keeps what is read in place when lines above are measured. At the end it would scroll away from it.
  virtual.shouldAdjustScrollPositionOnItemSizeChange = following ? never : undefined
  const height = virtual.getTotalSize()
  const onScroll = useScrolling(scroller, { setFollowing, follows, onTop: props.onTop, onBottom: props.onBottom })
  useKeptPlace(scroller, lines, following)
  useEnds(scroller, { version, height, following, onShort: lines.length > 0 ? props.onTop : undefined })

  useTarget(lines, target, (at) => {
    setFollowing(false)
    virtual.scrollToIndex(at, { align: 'center' })
  })

  return (
    <div className="relative min-h-0 flex-1">
      {/* A box that scrolls must be reachable by keyboard. */}
      <div
        ref={scroller}
        role="region"
        aria-label="Log"
        tabIndex={0}
        onScroll={onScroll}
        className="h-full overflow-auto py-1.5 font-mono text-[12.5px] leading-[20px] -outline-offset-2 [overflow-anchor:none]"
      >
        {lines.length === 0 && <p className="p-3 text-ink-soft">{empty}</p>}
        <div className="relative" style={{ height }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index]
            if (line === undefined) return null
            const measure = wrap || open.has(line.n) ? virtual.measureElement : undefined
            const shown = { search, showTime, isMarked: line.n === target, isOpen: open.get(line.n) === true }
            return (
              <Row key={line.n} {...{ index, start, measure, wrap }} hasGap={hasGapBefore?.(index) === true}>
                <LogLineText line={line} {...shown} onToggle={toggle} onLink={onLink} />
              </Row>
            )
          })}
        </div>
      </div>
      {follows && !following && (
        <LatestButton
          onClick={() => {
            setFollowing(true)
            onLatest?.()
          }}
        />
      )}
    </div>
  )
}

const never = () => false

type RowProps = {
  index: number
  start: number
  /** Of a line whose height is not known. */
  measure: ((row: HTMLDivElement | null) => void) | undefined
  wrap: boolean
  hasGap: boolean
  children: ReactNode
}

/** A line at its place in the box. */
function Row({ index, start, measure, wrap, hasGap, children }: RowProps) {
  return (
    <div
      ref={measure}
      data-index={index}
      className={classNames(
        'absolute top-0 left-0 min-w-full',
        wrap ? 'w-full [overflow-wrap:anywhere] whitespace-pre-wrap' : 'whitespace-pre',
        hasGap && 'border-t border-dashed border-line-strong',
      )}
      style={{ transform: `translateY(${start}px)` }}
    >
      {children}
    </div>
  )
}

/** Lines that are or were open. Their height is measured, that of all others is known. */
function useOpenLines() {
  const [open, setOpen] = useState<ReadonlyMap<number, boolean>>(new Map())
  const toggle = useCallback((n: number) => setOpen((before) => new Map(before).set(n, before.get(n) !== true)), [])
  return { open, toggle }
}

/** Goes to the line that a link leads to, once it is loaded. */
function useTarget(lines: readonly LogLine[], target: number | undefined, goTo: (at: number) => void): void {
  const at = target === undefined ? -1 : lines.findIndex(({ n }) => n === target)
  useEffect(() => {
    if (at >= 0) goTo(at)
  }, [target, at < 0])
}

function LatestButton({ onClick }: { onClick: () => void }) {
  return (
    <div className="absolute right-4 bottom-3">
      <Button icon="end" kind="primary" onClick={onClick}>
        Jump to latest
      </Button>
    </div>
  )
}

/** While following, the last lines are rendered as they arrive, not one scroll event later. */
function atEnd(range: Range): Range {
  const last = range.count - 1
  return { ...range, startIndex: Math.max(0, last - (range.endIndex - range.startIndex)), endIndex: last }
}
