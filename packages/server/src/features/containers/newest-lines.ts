type Line = { readonly at: string; readonly text: string }

/** 10,000 lines can be 160 MB, which is too much for one response. */
const MOST_CHARACTERS = 2 * 1024 * 1024

/** The newest lines of several containers, by time. If they exceed the size of a response, the oldest are dropped. */
export function newestLines(tail: number, mostCharacters = MOST_CHARACTERS) {
  let lines: Line[] = []
  let characters = 0
  let isCut = false

  /** Only now and then: doing this for each line would cost much more than keeping a few extra lines for a while. */
  function trim(): void {
    const newest = lines.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).slice(-tail)
    let first = newest.length
    for (characters = 0; first > 0; first -= 1) {
      const { length } = newest[first - 1]?.text ?? ''
      if (characters + length > mostCharacters) break
      characters += length
    }
    isCut ||= first > 0
    lines = newest.slice(first)
  }

  function add(at: string, line: string): void {
    const text = `${at} ${line}`
    lines.push({ at, text })
    characters += text.length
    if (characters > 2 * mostCharacters || lines.length > 2 * tail) trim()
  }

  function text(): string {
    trim()
    const note = isCut ? [`${lines[0]?.at ?? ''} … older lines are not shown: a response has at most 2 MiB`] : []
    return [...note, ...lines.map((line) => line.text)].join('\n')
  }

  return { add, text }
}
