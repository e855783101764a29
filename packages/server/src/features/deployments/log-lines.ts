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

export function parseLog(text: string): LogLine[] {
  const lines = text.split('\n')
  lines.pop() // behind the last newline there is nothing, or half a line of a crash
  return lines.map((line, index) => ({ n: index + 1, line: line.slice(1), stream: STREAM[line.charAt(0)] ?? 'stdout' }))
}
