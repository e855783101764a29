export const KIB = 1024

/** A text that a stranger can send, and the parser of ours that reads it. */
export type CostlyText = {
  readonly name: string
  readonly text: () => string
  readonly read: (text: string) => unknown
  /** Part of the sentence that refuses it; without it, it may be read. */
  readonly says?: string
}

export function repeated(unit: string, bytes: number): string {
  return unit.repeat(Math.floor(bytes / unit.length))
}

/** Items of a list, separated by commas. */
export function listed(count: number, item: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => item(n)).join(', ')
}
