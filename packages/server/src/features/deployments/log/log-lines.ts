export type LogStream = 'stdout' | 'stderr' | 'berth'
export type LogLine = { n: number; line: string; stream: LogStream }

/** The first character of a stored line says which stream it came from. */
const MARK = { stdout: ' ', stderr: '!', berth: '#' } as const satisfies Record<LogStream, string>
const STREAM: Readonly<Record<string, LogStream>> = { ' ': 'stdout', '!': 'stderr', '#': 'berth' }

/** The last line of every deployment log. */
export const LAST_LINE = {
  success: 'Deployed successfully',
  failed: (reason: string) => `Failed: ${reason}`,
  stopped: 'Cancelled',
} as const
const LAST_WORDS = /^(Deployed successfully$|Failed: |Cancelled$)/

export function isLastLine(line: Pick<LogLine, 'line' | 'stream'> | undefined): boolean {
  return line?.stream === 'berth' && LAST_WORDS.test(line.line)
}

export function storedLine(line: string, stream: LogStream): string {
  return `${MARK[stream]}${line}\n`
}

/** Complete lines of a log, with `before` lines preceding them. */
export function parseLines(text: string, before: number): LogLine[] {
  const lines = text.split('\n')
  lines.pop() // there is nothing after the last newline
  return lines.map((line, index) => ({ n: before + index + 1, line: line.slice(1), stream: STREAM[line.charAt(0)] ?? 'stdout' }))
}
