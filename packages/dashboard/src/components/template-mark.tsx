/** Two letters in a coloured square, because we do not draw other people's trademarks. */
export function TemplateMark({ name }: { name: string }) {
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7)
  return (
    <span
      aria-hidden="true"
      className="grid size-9 shrink-0 place-items-center rounded-md text-xs font-semibold"
      style={{
        background: `light-dark(hsl(${hue} 60% 90%), hsl(${hue} 40% 22%))`,
        color: `light-dark(hsl(${hue} 70% 25%), hsl(${hue} 70% 80%))`,
      }}
    >
      {name.slice(0, 1).toUpperCase()}
      {name.slice(1, 2)}
    </span>
  )
}
