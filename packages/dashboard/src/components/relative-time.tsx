import { exactTime, relativeTime } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'

/** How long ago; the exact time is in the tooltip. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow()
  const date = new Date(at)
  return (
    <time dateTime={at} title={exactTime(date)} className="whitespace-nowrap">
      {relativeTime(date, now)}
    </time>
  )
}
