/** A failed build step: its text in the Dockerfile, and its output. */
export type FailedStep = { readonly name: string; readonly lines: readonly string[] }

const LINE = /^#(\d+) (.*)$/
const POSITION = /^\[[^\]]+\] /

/**
 * Finds it in the output of a build. The output of parallel steps is interleaved, and steps that were only cancelled are marked as failed
 * too.
 */
export function failedStep(lines: readonly string[]): FailedStep | undefined {
  const all = lines.flatMap((line) => {
    const [, step, words = ''] = LINE.exec(line) ?? []
    return step === undefined ? [] : [{ step, words }]
  })
  const end = all.find(({ words }) => words.startsWith('ERROR: ') && !/cancell?ed/.test(words))
  if (!end) return undefined
  const [first = '', ...printed] = all.filter(({ step, words }) => step === end.step && words !== end.words).map(({ words }) => words)
  // If there was so much output that the first line of the step is missing, the first line we have is ordinary output.
  return POSITION.test(first) ? { name: first.replace(POSITION, ''), lines: printed } : { name: '', lines: [first, ...printed] }
}
