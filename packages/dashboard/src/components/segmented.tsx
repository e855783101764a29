type Props<Word extends string> = {
  label: string
  value: Word
  options: readonly { value: Word; label: string }[]
  onPick: (value: Word) => void
}

/** A choice between a few visible options. */
export function Segmented<Word extends string>({ label, value, options, onPick }: Props<Word>) {
  return (
    <div role="group" aria-label={label} className="inline-flex rounded-md border border-line bg-sunken p-0.5">
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onPick(option.value)}
          className="min-h-8 rounded px-2.5 text-[13px] text-ink-soft hover:text-ink aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-ink aria-pressed:shadow-xs"
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
