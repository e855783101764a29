import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unixTime } from '../container-logs.ts'
import { createLogReader } from './log-frames.ts'

const AT = '2026-01-02T03:04:05.123456789Z'

function frame(stream: number, text: string): Buffer {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}

describe('the log stream of a container', () => {
  it('is split into lines of both streams, wherever the chunks end', () => {
    const bytes = Buffer.concat([frame(1, `${AT} hello\n`), frame(2, `${AT} oh `), frame(1, `${AT} ünï\n`), frame(2, 'no\n')])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bytes.length }), (size) => {
        const reader = createLogReader({ isTty: false })
        const lines = []
        for (let at = 0; at < bytes.length; at += size) lines.push(...reader.push(bytes.subarray(at, at + size)))
        expect([...lines, ...reader.end()]).toEqual([
          { at: AT, stream: 'stdout', line: 'hello' },
          { at: AT, stream: 'stdout', line: 'ünï' },
          { at: AT, stream: 'stderr', line: 'oh no' },
        ])
      }),
    )
  })

  it('is plain lines with a terminal', () => {
    const reader = createLogReader({ isTty: true })
    expect(reader.push(Buffer.from(`${AT} one\r\n${AT} \r\n`)).map(({ line }) => line)).toEqual(['one', ''])
  })

  it('cuts lines at 16 KiB with a mark', () => {
    const reader = createLogReader({ isTty: false })
    const [line] = reader.push(frame(1, `${AT} ${'x'.repeat(100_000)}\n`))
    expect(line?.line.length).toBeLessThan(17_000)
    expect(line?.line).toMatch(/\[line cut\]$/)
  })

  it('is resumed to the nanosecond', () => {
    expect(unixTime(AT)).toBe('1767323045.123456789')
    expect(unixTime('2026-01-02T03:04:05Z')).toBe('1767323045.000000000')
  })
})
