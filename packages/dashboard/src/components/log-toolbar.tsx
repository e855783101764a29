import type { LogStream } from '../lib/log-buffer.ts'
import type { Look } from '../lib/status.ts'
import { Badge } from './badge.tsx'
import { Button, IconButton } from './button.tsx'
import { Segmented } from './segmented.tsx'

export type LogOptions = { stream: LogStream | 'all'; words: string; wrap: boolean; paused: boolean; showTime: boolean; isLarge: boolean }
export type StreamChoice = { value: LogStream | 'all'; label: string }

type Props = {
  options: LogOptions
  streams: readonly StreamChoice[]
  onChange: (options: LogOptions) => void
  onDownload: () => void
  state: Look
  /** No new lines come, so there is nothing to pause. */
  isWhole: boolean
  children: React.ReactNode
}

export function LogToolbar({ options, streams, onChange, onDownload, state, isWhole, children }: Props) {
  const { stream, wrap, paused, showTime, isLarge } = options
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
      {children}
      {streams.length > 1 && (
        <Segmented label="Filter lines" value={stream} options={streams} onPick={(next) => onChange({ ...options, stream: next })} />
      )}
      <Badge look={state} />
      <div className="ml-auto flex items-center">
        {(!isWhole || paused) && (
          <Button
            kind="quiet"
            icon={paused ? 'play' : 'pause'}
            aria-pressed={paused}
            onClick={() => onChange({ ...options, paused: !paused })}
          >
            {paused ? 'Resume' : 'Pause'}
          </Button>
        )}
        <IconButton
          icon="clock"
          label="Show timestamps"
          aria-pressed={showTime}
          onClick={() => onChange({ ...options, showTime: !showTime })}
        />
        <IconButton icon="wrap" label="Wrap long lines" aria-pressed={wrap} onClick={() => onChange({ ...options, wrap: !wrap })} />
        <IconButton icon="expand" label="Full screen" aria-pressed={isLarge} onClick={() => onChange({ ...options, isLarge: !isLarge })} />
        <IconButton icon="download" label="Download log" onClick={onDownload} />
      </div>
    </div>
  )
}
