/** A step of a build that failed: how the Dockerfile calls it, and what it printed. */
export type FailedStep = { readonly name: string; readonly lines: readonly string[] }

const LINE = /^#(\d+) (.*)$/
const POSITION = /^\[[^\]]+\] /

/** Finds it in the lines of a build. Steps that run side by side print between each other, and those that were only cancelled fail too. */
export function failedStep(lines: readonly string[]): FailedStep | undefined {
  const all = lines.flatMap((line) => {
    const [, step, words = ''] = LINE.exec(line) ?? []
    return step === undefined ? [] : [{ step, words }]
  })
  const end = all.find(({ words }) => words.startsWith('ERROR: ') && !/cancell?ed/.test(words))
  if (!end) return undefined
  const [first = '', ...printed] = all.filter(({ step, words }) => step === end.step && words !== end.words).map(({ words }) => words)
  // Where so much was printed that the beginning of the step is no longer there, what is first is a line like the others.
  return POSITION.test(first) ? { name: first.replace(POSITION, ''), lines: printed } : { name: '', lines: [first, ...printed] }
}
