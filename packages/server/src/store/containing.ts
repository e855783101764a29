/** A pattern for `like … escape '\\'` that finds the text anywhere, and takes its signs as they are. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}
