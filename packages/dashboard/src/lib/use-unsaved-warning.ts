import { useBlocker } from '@tanstack/react-router'

const QUESTION = 'You have unsaved changes. Leave without saving?'

/** Asks before text that has not been saved is lost: by a link, the back button, a reload or a closed tab. */
export function useUnsavedWarning(isUnsaved: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved && current.pathname !== next.pathname && !confirm(QUESTION),
    enableBeforeUnload: isUnsaved,
  })
}
