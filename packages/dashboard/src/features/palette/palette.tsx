import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { apps } from '../apps/queries.ts'
import { projects } from '../projects/queries.ts'
import { isAdmin, useMe } from '../session/queries.ts'
import { commandsOf, matching, type PaletteCommand } from './commands.ts'

/** Go anywhere by typing a part of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null)
  const navigate = useNavigate()
  const { data: appList } = useQuery(apps)
  const { data: projectList } = useQuery(projects)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const commands = commandsOf({ apps: appList ?? [], projects: projectList ?? [], mayAdmin: isAdmin(useMe()) })
  const found = matching(commands, text)
  useEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])

  function go(command: PaletteCommand | undefined): void {
    if (!command) return
    onClose()
    void navigate({ to: command.to })
  }

  function pressed(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt((at + step + found.length) % Math.max(found.length, 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      go(found[at])
    }
  }

  return (
    <dialog
      ref={ref}
      aria-label="Search"
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target === ref.current) onClose()
      }}
      className="mx-auto mt-[12dvh] w-[calc(100%-2rem)] max-w-xl rounded-xl border border-line bg-surface p-0 shadow-2xl"
    >
      <div className="flex items-center gap-2.5 border-b border-line px-4 text-ink-soft">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Go to"
          aria-expanded="true"
          aria-controls="palette-found"
          aria-activedescendant={found[at] && `palette-${found[at].id}`}
          // The palette is opened to type into it
          autoFocus
          placeholder="Go to a project, an app or a page"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={pressed}
          className="h-12 min-w-0 flex-1 bg-transparent text-ink outline-none placeholder:text-ink-faint"
        />
      </div>
      <ul id="palette-found" role="listbox" aria-label="Found" className="max-h-[50dvh] overflow-y-auto p-1.5">
        {found.map((command, index) => (
          <li
            key={command.id}
            id={`palette-${command.id}`}
            role="option"
            aria-selected={index === at}
            onPointerMove={() => setAt(index)}
            onClick={() => go(command)}
            className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 text-sm aria-selected:bg-accent-soft aria-selected:text-accent"
          >
            <Icon name={command.icon} />
            <span className="min-w-0 truncate">{command.label}</span>
            <span className="ml-auto text-xs text-ink-soft">{command.note}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="px-4 pb-4 text-sm text-ink-soft">Nothing is called that.</p>}
    </dialog>
  )
}
