const SHAPES = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  project: 'M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
  app: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  database: 'M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zM4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c2.5 2.6 3.8 5.6 3.8 9s-1.3 6.4-3.8 9c-2.5-2.6-3.8-5.6-3.8-9S9.500 5.600 12 3z',
  gear: 'M12 15.5a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM12 2.500v3M12 18.500v3M4.200 6.200l2.200 2.200M17.600 15.600l2.200 2.200M2.500 12h3M18.500 12h3M4.200 17.800l2.200-2.200M17.600 8.400l2.200-2.200',
  users: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21c0-4 3-6.500 7-6.500s7 2.500 7 6.500M16 3.500a4 4 0 0 1 0 7.500M18 15c2.500.800 4 3 4 6',
  audit: 'M7 3h10a1 1 0 0 1 1 1v17l-3-2-3 2-3-2-3 2V4a1 1 0 0 1 1-1zM9 8h6M9 12h6',
  health: 'M3 12h4l2.500-6 4 12 2.500-6h5',
  template: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  account: 'M12 12a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM4 21c0-4.500 3.500-7 8-7s8 2.500 8 7',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 6h16M4 12h16M4 18h16',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.500l4.500 4.500L19 7',
  eye: 'M2 12s3.600-6.500 10-6.500S22 12 22 12s-3.600 6.500-10 6.500S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  'eye-off':
    'M4 4l16 16M9.900 5.700A10 10 0 0 1 12 5.500C18.400 5.500 22 12 22 12a17 17 0 0 1-3 3.600M6 7.600A16.500 16.500 0 0 0 2 12s3.600 6.500 10 6.500c1.500 0 2.800-.300 4-.900',
  external: 'M14 4h6v6M20 4l-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5',
  rocket: 'M5 15c-1.500 1-2 5-2 5s4-.500 5-2M9 15l-3-3c1-3.500 4-9 14-9 0 10-5.500 13-9 14zM15 9.500a.500.500 0 1 0 0-1 .500.500 0 0 0 0 1',
  stop: 'M6 6h12v12H6z',
  play: 'M7 4.500l12 7.500-12 7.500z',
  restart: 'M20 11a8 8 0 1 0-2.300 6.300M20 4v7h-7',
  back: 'M9 7l-5 5 5 5M4 12h10a6 6 0 0 1 6 6v1',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  pause: 'M8 5v14M16 5v14',
  end: 'M12 4v12M7 12l5 5 5-5M5 20h14',
  wrap: 'M4 6h16M4 12h13a3 3 0 0 1 0 6h-5M14 15.500L11.500 18l2.500 2.500M4 18h3',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600L7 7M17 17l1.400 1.400M5.600 18.400L7 17M17 7l1.400-1.400',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z',
  screen: 'M4 5h16v11H4zM9 20h6M12 16v4',
  alert: 'M12 4l9 16H3zM12 10v4M12 17v.500',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.500 2',
  commit: 'M12 15.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2 12h6.500M15.500 12H22',
  logout: 'M14 4h5a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-5M10 8l-4 4 4 4M6 12h9',
  chevron: 'M9 5l7 7-7 7',
} as const

export type IconName = keyof typeof SHAPES

/** A drawing beside words; it says nothing to a screen reader. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={SHAPES[name]} />
    </svg>
  )
}
