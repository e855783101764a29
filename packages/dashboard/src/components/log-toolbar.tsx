import type { LogFilter } from '../lib/log-buffer.ts'
import type { Look } from '../lib/status.ts'
import { Badge } from './badge.tsx'
import { Button, IconButton } from './button.tsx'
import { TextField } from './field.tsx'
import { Segmented } from './segmented.tsx'

export type LogOptions = { filter: LogFilter; wrap: boolean; paused: boolean; showTime: boolean }

type Props = {
  options: LogOptions
  streams: readonly { value: LogFilter['stream']; label: string }[]
  onChange: (options: LogOptions) => void
  onDownload: () => void
  state: Look
  /** The log is complete, so there is nothing to pause. */
  isWhole: boolean
}

export function LogToolbar({ options, streams, onChange, onDownload, state, isWhole }: Props) {
  const { filter, wrap, paused, showTime } = options
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
      <div className="w-full sm:w-56">
        <TextField
          label="Search logs"
          hideLabel
          type="search"
          placeholder="Search logs"
          value={filter.search}
          onText={(search) => onChange({ ...options, filter: { ...filter, search } })}
        />
      </div>
      <Segmented
        label="Filter lines"
        value={filter.stream}
        options={streams}
        onPick={(stream) => onChange({ ...options, filter: { ...filter, stream } })}
      />
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
        <IconButton icon="download" label="Download log" onClick={onDownload} />
      </div>
    </div>
  )
}
