import type { LogLine } from '../../../../engine/api/log-frames.ts'

/** The two streams are read apart, so lines of the same moment may come in the wrong order. */
const SAME_MOMENT_MS = 100

/** The last line of a program that failed. Of lines from the same moment it is the one that was printed as an error. */
export function createLastLine() {
  const last: { stdout?: LogLine; stderr?: LogLine } = {}

  function add(line: LogLine): void {
    if (line.line.trim() !== '') last[line.stream] = line
  }

  function text(): string {
    const { stdout, stderr } = last
    const isOutput = stdout && (!stderr || timeOf(stdout) - timeOf(stderr) > SAME_MOMENT_MS)
    return (isOutput ? stdout : stderr)?.line.trim() ?? ''
  }

  return { add, text }
}

function timeOf({ at }: LogLine): number {
  return new Date(at).getTime()
}
