export type LogStream = 'stdout' | 'stderr' | 'berth'
export type LogLine = { n: number; line: string; stream: LogStream }

/** The first character of a stored line says which stream it came from. */
const MARK = { stdout: ' ', stderr: '!', berth: '#' } as const satisfies Record<LogStream, string>
const STREAM: Readonly<Record<string, LogStream>> = { ' ': 'stdout', '!': 'stderr', '#': 'berth' }
const LONGEST_LINE = 16 * 1024

/** How the log of every deployment ends. */
export const LAST_LINE = {
  success: 'Deployed successfully',
  failed: (reason: string) => `Failed: ${reason}`,
  stopped: 'Cancelled',
} as const
const LAST_WORDS = /^(Deployed successfully$|Failed: |Cancelled$)/

export function isLastLine(line: LogLine | undefined): boolean {
  return line?.stream === 'berth' && LAST_WORDS.test(line.line)
}

/** Control characters but tab and colours are taken out: a log line is text, whatever printed it. */
export function cleanLine(text: string): string {
  const plain = text
    // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
    .replaceAll(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, '')
    // oxlint-disable-next-line no-control-regex -- as above; colours stay
    .replaceAll(/\u001b(?!\[[0-9;]{0,32}m)(?:\[[0-9;?]*[A-Za-z]?)?/g, '')
    // oxlint-disable-next-line no-control-regex -- as above
    .replaceAll(/[\u0000-\u0008\u000a-\u001a\u001c-\u001f\u007f\u0080-\u009f\u2028\u2029]/g, '')
  return plain.length > LONGEST_LINE ? `${plain.slice(0, LONGEST_LINE)} … [line cut]` : plain
}

export function storedLine(line: string, stream: LogStream): string {
  return `${MARK[stream]}${line}\n`
}

export function parseLog(text: string): LogLine[] {
  const lines = text.split('\n')
  lines.pop() // behind the last newline there is nothing, or half a line of a crash
  return lines.map((line, index) => ({ n: index + 1, line: line.slice(1), stream: STREAM[line.charAt(0)] ?? 'stdout' }))
}
