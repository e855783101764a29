/** A long text with its middle left out. */
export function withoutMiddle(text: string, kept: { beginning: number; end: number }): string {
  if (text.length <= kept.beginning + kept.end) return text
  return `${text.slice(0, kept.beginning)} … ${text.slice(-kept.end)}`.toWellFormed()
}
