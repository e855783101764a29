/** A paragraph, or the points of a list. */
type Block = { is: 'text'; text: string } | { is: 'list'; points: string[] }

/** What is new in a version: lines that begin with "* " or "- " are points of a list. The title, which the page has already, is left out. */
export function notesOf(notes: string, version: string): Block[] {
  const lines = notes.split('\n').map((line) => line.trim())
  const isTitle = (line: string): boolean => line.replace(/^#+ /, '') === `Berth ${version}`
  const blocks: Block[] = []
  for (const line of lines.filter((each, at) => each !== '' && !(isTitle(each) && lines.slice(0, at).every((above) => above === ''))))
    add(blocks, line)
  return blocks
}

function add(blocks: Block[], line: string): void {
  const last = blocks.at(-1)
  const point = /^[*-] (.+)$/.exec(line)?.[1]
  if (point === undefined) blocks.push({ is: 'text', text: line })
  else if (last?.is === 'list') last.points.push(point)
  else blocks.push({ is: 'list', points: [point] })
}

/** A message that ends with a command between backticks is split, so that the command can be copied. */
export function commandIn(message: string): { words: string; command: string | undefined } {
  const [, words, command] = /^([^`]+) `([^`]+)`$/.exec(message) ?? []
  return { words: words ?? message, command }
}
