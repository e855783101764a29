import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { paths } from '../paths.ts'

const GO: Record<string, string> = { o: paths.overview(), p: paths.projects(), a: paths.apps(), h: paths.health(), u: paths.users() }
const SECOND_KEY_MS = 1200

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** Ctrl-K and / open search, ? opens help, g and a letter go to a page. Ignored while typing in a field. */
export function useShortcuts({ openPalette, openHelp }: { openPalette: () => void; openHelp: () => void }): void {
  const navigate = useNavigate()
  useEffect(() => {
    let goingUntil = 0
    function pressed(event: KeyboardEvent): void {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        openPalette()
        return
      }
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
      const to = event.timeStamp < goingUntil ? GO[event.key] : undefined
      goingUntil = event.key === 'g' ? event.timeStamp + SECOND_KEY_MS : 0
      if (to !== undefined) void navigate({ to })
      else if (event.key === '/') {
        event.preventDefault()
        openPalette()
      } else if (event.key === '?') openHelp()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  })
}
