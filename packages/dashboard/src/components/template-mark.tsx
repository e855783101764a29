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
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-md font-semibold ${small ? 'size-6 text-[10px]' : 'size-9 text-xs'}`}
      style={{
        background: `light-dark(hsl(${hue} 60% 90%), hsl(${hue} 40% 22%))`,
        color: `light-dark(hsl(${hue} 70% 25%), hsl(${hue} 70% 80%))`,
      }}
    >
      {letters}
    </span>
  )
}
