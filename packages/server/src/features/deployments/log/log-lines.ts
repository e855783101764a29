export type LogStream = 'stdout' | 'stderr' | 'berth'
export type LogLine = { n: number; line: string; stream: LogStream }

/** The first character of a stored line says which stream it came from. */
const MARK = { stdout: ' ', stderr: '!', berth: '#' } as const satisfies Record<LogStream, string>
const STREAM: Readonly<Record<string, LogStream>> = { ' ': 'stdout', '!': 'stderr', '#': 'berth' }

/** How the log of every deployment ends. */
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

/** Whole lines of a log; `before` lines come ahead of them. */
export function parseLines(text: string, before: number): LogLine[] {
  const lines = text.split('\n')
  lines.pop() // behind the last newline there is nothing
  return lines.map((line, index) => ({ n: before + index + 1, line: line.slice(1), stream: STREAM[line.charAt(0)] ?? 'stdout' }))
}
