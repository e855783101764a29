import { Mark } from './mark.tsx'

/** Each database in its own colours and letters; we do not draw other people's trademarks. */
const MARKS: Readonly<Record<string, { letters: string; hue: number }>> = {
  postgresql: { letters: 'Pg', hue: 205 },
  mysql: { letters: 'My', hue: 190 },
  mariadb: { letters: 'Ma', hue: 25 },
  redis: { letters: 'Re', hue: 5 },
  mongodb: { letters: 'Mo', hue: 125 },
}

export function TemplateMark({ name, small = false }: { name: string; small?: boolean }) {
  const { letters, hue } = MARKS[name] ?? { letters: `${name.slice(0, 1).toUpperCase()}${name.slice(1, 2)}`, hue: 260 }
  return <Mark letters={letters} hue={hue} small={small} />
}
