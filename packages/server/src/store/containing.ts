/** A pattern for `like … escape '\\'` that finds the text anywhere, with its special characters escaped. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}
