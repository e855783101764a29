/** 10,000 lines can be 160 MB, which is too much for one response. */
const MOST_CHARACTERS = 2 * 1024 * 1024

type Sized = { readonly line: string }
type Limits = { lines: number; characters?: number }

/** Keeps the newest of the added lines. If they exceed the size of a response, the oldest are dropped. */
export function createNewest<Item extends Sized>(
  { lines: most, characters: mostCharacters = MOST_CHARACTERS }: Limits,
  onDrop: (item: Item) => void = () => undefined,
) {
  let items: Item[] = []
  let from = 0
  let characters = 0

  function dropFirst(): void {
    const dropped = items[from]
    if (dropped === undefined) return
    characters -= dropped.line.length
    from += 1
    onDrop(dropped)
    if (from < 1000 || from < items.length / 2) return
    items = items.slice(from) // only now and then: doing this for each line would be much slower
    from = 0
  }

  return {
    add(item: Item): void {
      items.push(item)
      characters += item.line.length
      while (items.length - from > most || (characters > mostCharacters && items.length - from > 1)) dropFirst()
    },
    dropFirst,
    size: (): number => items.length - from,
    items: (): Item[] => items.slice(from),
  }
}

/** Keeps the oldest of the added lines, up to the size of a response. */
export function createOldest<Item extends Sized>({ lines: most, characters: mostCharacters = MOST_CHARACTERS }: Limits) {
  const items: Item[] = []
  let characters = 0
  let isFull = most === 0
  return {
    add(item: Item): void {
      if (isFull) return
      characters += item.line.length
      isFull = items.length > 0 && characters > mostCharacters
      if (isFull) return
      items.push(item)
      isFull = items.length >= most
    },
    items: (): Item[] => items,
  }
}
