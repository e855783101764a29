import { Icon } from '../../components/icon.tsx'
import type { PaletteCommand } from './commands.ts'

type Props = { found: readonly PaletteCommand[]; at: number; onPoint: (at: number) => void; onPick: (command: PaletteCommand) => void }

export const FOUND_ID = 'palette-found'

export function optionId({ id }: PaletteCommand): string {
  return `palette-${id}`
}

/** Search results. The text field keeps focus and refers to the selected one. */
export function FoundList({ found, at, onPoint, onPick }: Props) {
  return (
    <>
      <ul id={FOUND_ID} role="listbox" aria-label="Results" className="max-h-[50dvh] overflow-y-auto p-1.5">
        {found.map((command, index) => (
          <li
            key={command.id}
            id={optionId(command)}
            role="option"
            aria-selected={index === at}
            onPointerMove={() => onPoint(index)}
            onClick={() => onPick(command)}
            className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 text-sm aria-selected:bg-accent-soft aria-selected:text-accent"
          >
            <Icon name={command.icon} />
            <span className="min-w-0 truncate">{command.label}</span>
            <span className="ml-auto text-xs text-ink-soft">{command.note}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="px-4 pb-4 text-sm text-ink-soft">No results</p>}
    </>
  )
}
