import { MOST_PROCESSES, MOST_REPLICAS } from '@berth/contract'
import { Button, IconButton } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { NEW_PROCESS, type ProcessRow } from './process-values.ts'

type Props = {
  value: ProcessRow[]
  onText: (rows: ProcessRow[]) => void
  problem: string | undefined
  /** A ready image has no Procfile. */
  isImage: boolean
}

/** The processes beside the main one, one row each. */
export function ProcessesField({ value: rows, onText: onRows, problem, isImage }: Props) {
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 text-[13px] font-medium">Other processes</legend>
      <p className="text-[13px] text-ink-soft">
        Workers and schedulers that run beside the main process. {!isImage && 'Leave the command empty to use the line in the Procfile. '}
        Empty limits are those of the app. Replicas (0 to {MOST_REPLICAS}) change at once, everything else with the next deployment.
      </p>
      {rows.map((row, at) => (
        <ProcessFields
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity of their own while their names are typed
          key={at}
          row={row}
          isImage={isImage}
          number={at + 1}
          onRow={(changed) => onRows(rows.with(at, changed))}
          onRemove={() => onRows(rows.toSpliced(at, 1))}
        />
      ))}
      {problem !== undefined && (
        <p role="alert" className="text-[13px] text-bad">
          {problem}
        </p>
      )}
      <div>
        <Button icon="plus" disabled={rows.length >= MOST_PROCESSES} onClick={() => onRows([...rows, NEW_PROCESS])}>
          Add a process
        </Button>
      </div>
    </fieldset>
  )
}

type RowProps = { row: ProcessRow; number: number; isImage: boolean; onRow: (row: ProcessRow) => void; onRemove: () => void }

function ProcessFields({ row, number, isImage, onRow, onRemove }: RowProps) {
  const field = (key: keyof ProcessRow) => ({ value: row[key], onText: (text: string) => onRow({ ...row, [key]: text }) })
  const name = row.name.trim() === '' ? `process ${number}` : row.name.trim()
  return (
    <fieldset className="grid min-w-0 grid-cols-2 gap-3 rounded-md border border-line p-3 sm:grid-cols-[minmax(0,2fr)_repeat(3,minmax(0,1fr))_auto]">
      <legend className="sr-only">{name}</legend>
      <div className="max-sm:col-span-2">
        <TextField label="Process" placeholder="worker" mono spellCheck={false} {...field('name')} />
      </div>
      <TextField label="Replicas" inputMode="numeric" {...field('replicas')} />
      <TextField label="CPU cores" inputMode="decimal" placeholder="Same as app" {...field('cpuLimit')} />
      <TextField label="Memory, MB" inputMode="numeric" placeholder="Same as app" {...field('memoryLimit')} />
      <div className="flex items-end justify-end">
        <IconButton label={`Remove ${name}`} icon="trash" onClick={onRemove} />
      </div>
      <div className="col-span-2 sm:col-span-5">
        <TextField label="Command" mono spellCheck={false} placeholder={isImage ? undefined : 'From the Procfile'} {...field('command')} />
      </div>
    </fieldset>
  )
}
