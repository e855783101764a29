import { refuse } from './refuse.ts'

const PIECE = /\s+|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y

/** Splits a command written as one text into words as a shell would; nothing is expanded. */
export function wordsOf(line: string, at: string): string[] {
  const words: string[] = []
  let word: string | undefined
  PIECE.lastIndex = 0
  while (PIECE.lastIndex < line.length) {
    const found = PIECE.exec(line)
    if (found === null) return refuse(at, 'has a quotation mark that is never closed')
    const [whole, single, double, escaped, plain] = found
    const piece = single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain
    if (piece !== undefined) word = (word ?? '') + piece
    else if (word !== undefined && /^\s/.test(whole)) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}
