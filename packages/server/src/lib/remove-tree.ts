import { runProcess } from './child-process.ts'

const LIMIT_MS = 10 * 60_000
const MOST_WORDS = 500

/**
 * Removes a folder with all that is in it, in a process of its own: Node.js begins to remove all files of a folder at once, and a folder of
 * somebody's repository may have a hundred thousand. It is no error if it is not there.
 */
export async function removeTree(path: string): Promise<void> {
  let words = ''
  const onOutput = (chunk: Buffer) => void (words = (words + chunk.toString('utf8')).slice(0, MOST_WORDS))
  const signal = AbortSignal.timeout(LIMIT_MS)
  const code = await runProcess('rm', ['-rf', '--', path], { isBackground: true, onOutput, signal, endWith: 'SIGKILL' })
  if (code !== 0) throw new Error(`a folder could not be removed: ${words}`)
}
