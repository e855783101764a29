import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { applyTheme } from '../../lib/theme.ts'
import { useDeploy } from '../../shared/use-deploy.ts'
import { apps } from '../apps/queries.ts'
import { projects } from '../projects/queries.ts'
import { isAdmin, useMe } from '../session/queries.ts'
import { type Act, commandsOf, matching, type PaletteCommand } from './commands.ts'
import { FOUND_ID, FoundList, optionId } from './found-list.tsx'

function useModal(ref: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [ref])
}

function useAct(): (act: Act) => void {
  const navigate = useNavigate()
  const deploy = useDeploy()
  return (act) => {
    if ('to' in act) void navigate({ to: act.to })
    else if ('href' in act) open(act.href, '_blank', 'noreferrer')
    else if ('deploy' in act) deploy.mutate({ appId: act.deploy })
    else applyTheme(act.theme)
  }
}

/** The command palette: finds pages, apps and actions by part of their name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null)
  const act = useAct()
  const { data: appList } = useQuery(apps)
  const { data: projectList } = useQuery(projects)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const commands = commandsOf({ apps: appList ?? [], projects: projectList ?? [], mayAdmin: isAdmin(useMe()) })
  const found = matching(commands, text)
  useModal(ref)

  function go(command: PaletteCommand | undefined): void {
    if (!command) return
    onClose()
    act(command.act)
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
          aria-label="Search"
          aria-expanded="true"
          aria-controls={FOUND_ID}
          aria-activedescendant={found[at] && optionId(found[at])}
          // The palette is opened to type into it
          autoFocus
          placeholder="Search apps, pages and actions"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={pressed}
          className="h-12 min-w-0 flex-1 bg-transparent text-ink outline-none placeholder:text-ink-faint"
        />
      </div>
      <FoundList found={found} at={at} onPoint={setAt} onPick={go} />
    </dialog>
  )
}
