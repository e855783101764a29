type Ordering<Item, Owner> = {
  owner: (item: Item) => Owner
  /** An increasing number that says when it last had its turn. 0 means never. */
  last: (item: Item) => number
  lastOfOwner: (owner: Owner) => number
}

/** Orders work so that nobody waits for an owner with a lot of it: the first item of each owner, then the second of each, and so on. */
export function fairOrder<Item, Owner>(items: readonly Item[], by: Ordering<Item, Owner>): Item[] {
  const oldestFirst = items.toSorted((a, b) => by.last(a) - by.last(b))
  const owners = [...Map.groupBy(oldestFirst, by.owner)].toSorted(([a], [b]) => by.lastOfOwner(a) - by.lastOfOwner(b))
  const ranked = owners.flatMap(([, own]) => own.map((item, rank) => ({ item, rank })))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ item }) => item)
}
