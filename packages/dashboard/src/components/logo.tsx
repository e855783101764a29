/** Drawn in the page, so that it is there without another request. The same drawing is in public/favicon.svg. */
export function Logo({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" fill="#2f5fd0" />
      <path d="M8 20h16l-2.2 4H10.2zM11 18v-5h4v5zM17 18V9h4v9z" fill="#fff" />
    </svg>
  )
}
