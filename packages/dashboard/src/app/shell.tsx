import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { IconButton } from '../components/button.tsx'
import { Palette } from '../features/palette/palette.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { Footer } from './footer.tsx'
import { Sidebar } from './sidebar.tsx'
import { useShortcuts } from './use-shortcuts.ts'

const Shortcuts = lazy(async () => ({ default: (await import('../features/palette/shortcuts-dialog.tsx')).ShortcutsDialog }))

type Open = 'nothing' | 'palette' | 'shortcuts'

/** The layout of every page behind the login. */
export function Shell() {
  const [open, setOpen] = useState<Open>('nothing')
  const drawer = useRef<HTMLDialogElement>(null)
  const path = useRouterState({ select: (state) => state.location.pathname })
  // At once: the next key that is typed must find the field.
  const openPalette = (): void => flushSync(() => setOpen('palette'))
  useShortcuts({ openPalette, openHelp: () => setOpen('shortcuts') })
  // Navigation closes the menu
  useEffect(() => drawer.current?.close(), [path])

  return (
    <div className="flex min-h-dvh">
      <a href="#main" className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-raised focus:p-2">
        Skip to content
      </a>
      <aside className="hidden w-56 shrink-0 border-r border-line bg-surface lg:block">
        <div className="sticky top-0 h-dvh">
          <Sidebar onSearch={() => setOpen('palette')} />
        </div>
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b border-line bg-surface px-2 lg:hidden">
          <IconButton icon="menu" label="Menu" onClick={() => drawer.current?.showModal()} />
          <span className="font-semibold">Berth</span>
          <span className="ml-auto" />
          <IconButton icon="search" label="Search" onClick={() => setOpen('palette')} />
        </header>
        <dialog ref={drawer} aria-label="Menu" className="m-0 h-dvh max-h-none w-64 border-r border-line bg-surface p-0 lg:hidden">
          <Sidebar onSearch={() => setOpen('palette')} onClose={() => drawer.current?.close()} />
        </dialog>
        <ConnectionNotice />
        <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl flex-1 px-4 py-5 outline-none sm:px-6 lg:py-7">
          <Outlet />
        </main>
        <Footer />
      </div>
      {open === 'palette' && <Palette onClose={() => setOpen('nothing')} />}
      <Suspense>{open === 'shortcuts' && <Shortcuts onClose={() => setOpen('nothing')} />}</Suspense>
    </div>
  )
}
