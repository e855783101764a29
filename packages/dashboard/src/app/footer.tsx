/** Written in by the build. */
declare const __BERTH_VERSION__: string | undefined
const VERSION = typeof __BERTH_VERSION__ === 'undefined' ? '' : __BERTH_VERSION__

/** Hidden while the page loads, because the content would push it down. */
export function Footer() {
  return (
    <footer className="[main:has([data-loading])+&]:invisible mx-auto flex w-full max-w-6xl flex-wrap justify-between gap-x-4 px-4 pb-4 text-xs text-ink-faint sm:px-6">
      <span>Berth {VERSION}</span>
      <a href="/docs" className="hover:underline">
        API
      </a>
    </footer>
  )
}
