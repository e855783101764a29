import type { StreamState } from '@berth/contract'
import { useState, useSyncExternalStore } from 'react'
import { stripAnsi } from '../lib/ansi.ts'
import { classNames } from '../lib/class-names.ts'
import type { LogBuffer, LogFilter } from '../lib/log-buffer.ts'
import { saveFile } from '../lib/save-file.ts'
import { countWords, plural } from '../lib/sizes.ts'
import type { Look } from '../lib/status.ts'
import { LogLines } from './log-lines.tsx'
import { type LogOptions, LogToolbar } from './log-toolbar.tsx'
import { toast } from './toast.tsx'

type Props = {
  buffer: LogBuffer
  fileName: string
  streams: readonly { value: LogFilter['stream']; label: string }[]
  state: StreamState['is']
  /** Label and colour of each stream state. */
  looks: Record<StreamState['is'], Look>
  empty: string
  /** Loads the full log, where the server keeps more than is shown. */
  whole?: () => Promise<string>
  className?: string
}

/** A log of up to 100,000 lines. Only visible lines are rendered, and the end is followed until the reader scrolls up. */
export function LogViewer({ buffer, fileName, streams, state, looks, empty, whole, className }: Props) {
  const view = useSyncExternalStore(buffer.subscribe, buffer.view)
  const [options, setOptions] = useState<LogOptions>({ filter: { search: '', stream: 'all' }, wrap: false, paused: false, showTime: false })
  function change(next: LogOptions): void {
    if (next.filter !== options.filter) buffer.setFilter(next.filter)
    if (next.paused !== options.paused) buffer.setPaused(next.paused)
    setOptions(next)
  }
  async function download(): Promise<void> {
    try {
      const text = whole ? await whole() : buffer.text()
      saveFile(fileName, text.split('\n').map(stripAnsi).join('\n'))
    } catch (cause) {
      toast(cause instanceof Error ? cause.message : 'Could not load the log.', 'bad')
    }
  }
  return (
    <div className={classNames('flex min-h-0 flex-col rounded-lg border border-line bg-surface', className)}>
      <LogToolbar
        options={options}
        streams={streams}
        onChange={change}
        onDownload={() => void download()}
        state={looks[state]}
        isWhole={state === 'ended'}
      />
      <LogLines key={String(options.wrap)} view={view} options={options} empty={empty} />
      <footer className="border-t border-line px-3 py-1.5 text-xs text-ink-soft">
        {view.lines.length === view.total
          ? plural(view.total, 'line')
          : `${countWords(view.lines.length)} of ${plural(view.total, 'line')}`}
        {view.dropped > 0 && `, ${plural(view.dropped, 'older line')} dropped`}
      </footer>
    </div>
  )
}
