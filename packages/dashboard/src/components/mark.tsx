import type { ReactNode } from 'react'

type Props = { hue: number; small?: boolean } & ({ letters: string } | { children: ReactNode })

/** A tile in a colour of its own, with a drawing or two letters, where the mark of a product would be. */
export function Mark({ hue, small = false, ...inside }: Props) {
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-md font-semibold ${small ? 'size-6 text-[10px]' : 'size-9 text-xs'}`}
      style={{
        background: `light-dark(hsl(${hue} 60% 90%), hsl(${hue} 40% 22%))`,
        color: `light-dark(hsl(${hue} 70% 25%), hsl(${hue} 70% 80%))`,
      }}
    >
      {'letters' in inside ? inside.letters : inside.children}
    </span>
  )
}
