import { Mark } from './mark.tsx'

/** Drawn for this page, in lines: a picture that reminds of each database, and nobody's logo. */
const DRAWINGS: Readonly<Record<string, { hue: number; lines: readonly string[] }>> = {
  postgresql: {
    hue: 205,
    lines: [
      'M8 6.5C5.2 4.6 2.8 6.4 2.8 9.6c0 3.4 2.2 5.6 5.2 5',
      'M16 6.5c2.8-1.9 5.2-.1 5.2 3.1 0 3.4-2.2 5.6-5.2 5',
      'M8 14.6V8.2C8 5.6 9.6 4 12 4s4 1.6 4 4.2v6.4c0 1.2-1.6 1.7-1.6 3.5 0 1.4.8 2.2 2.1 2.2',
      'M8 14.6c1.6.8 2.4 1.9 2.4 3.5',
      'M10.3 9.4v.1M13.7 9.4v.1',
    ],
  },
  mysql: {
    hue: 190,
    lines: [
      'M4 18.5C5 10.5 9.6 6.4 15.6 7c2.9.3 4.6 1.9 5.4 4.4-1.9-.7-3.5-.6-5 .2-4 2-8.6 2.9-12 6.9z',
      'M4 18.5 2.6 21.4 7 20',
      'M10.6 7.9c.1-2.1 1.3-3.6 3.4-4.4-.2 1.4 0 2.5.6 3.4',
      'M17 9.3v.1',
    ],
  },
  mariadb: {
    hue: 25,
    lines: [
      'M2.6 20.4c4.4 0 6.3-2.6 7.4-6.8C11.3 8.4 13 4.8 16.6 3.8c2.1-.6 4 .4 4.8 2.4L18 7.6c-.3 4.2-1 7-2.8 9.2-1.1 1.4-.6 2.7 1.2 3.6',
      'M11 13.4c-2 .8-3.6 2.3-4.4 4.4',
      'M17.6 5.6v.1',
    ],
  },
  redis: {
    hue: 5,
    lines: ['M12 3.6 20.4 7.4 12 11.2 3.6 7.4z', 'M3.6 12l8.4 3.8 8.4-3.8', 'M3.6 16.6l8.4 3.8 8.4-3.8'],
  },
  mongodb: {
    hue: 125,
    lines: ['M12 2.6c4 3.7 5.8 6.8 5.8 10.2 0 3.2-2.2 5.6-5.8 7.4-3.6-1.8-5.8-4.2-5.8-7.4 0-3.4 1.8-6.5 5.8-10.2z', 'M12 8.4v13.2'],
  },
}

/** The mark of a database; of one that is not known here, its first letters. */
export function TemplateMark({ name, small = false }: { name: string; small?: boolean }) {
  const drawing = DRAWINGS[name]
  if (!drawing) return <Mark letters={`${name.slice(0, 1).toUpperCase()}${name.slice(1, 2)}`} hue={260} small={small} />
  const size = small ? 15 : 22
  return (
    <Mark hue={drawing.hue} small={small}>
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.7}
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        {drawing.lines.map((line) => (
          <path key={line} d={line} />
        ))}
      </svg>
    </Mark>
  )
}
