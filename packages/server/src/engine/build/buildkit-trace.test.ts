import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tracePartsOf } from './buildkit-messages.ts'
import { createNewsCheck, createTraceReader } from './buildkit-trace.ts'

const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))])
const bytes = (number: number, value: Buffer | string) =>
  Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(Buffer.byteLength(value))]), Buffer.from(value)])
const whole = (number: number, value: number) => Buffer.from([...varint(number * 8), ...varint(value)])
const time = (number: number, seconds: number) => bytes(number, whole(1, seconds))

type Step = { digest: string; name?: string; cached?: boolean; started?: number; completed?: number; error?: string }
const vertex = ({ digest, name, cached, started, completed, error }: Step) =>
  bytes(
    1,
    Buffer.concat([
      bytes(1, digest),
      bytes(2, 'sha256:input'),
      ...(name === undefined ? [] : [bytes(3, name)]),
      ...(cached === true ? [whole(4, 1)] : []),
      ...(started === undefined ? [] : [time(5, started)]),
      ...(completed === undefined ? [] : [time(6, completed)]),
      ...(error === undefined ? [] : [bytes(7, error)]),
    ]),
  )
const transfer = (id: string, current: number) => bytes(2, Buffer.concat([bytes(1, id), bytes(2, 'a'), whole(4, current), time(6, 9)]))
const log = (digest: string, stream: number, message: Buffer | string) =>
  bytes(3, Buffer.concat([bytes(1, digest), time(2, 9), whole(3, stream), bytes(4, message)]))

function lines(reader: ReturnType<typeof createTraceReader>, ...parts: Buffer[]): string[] {
  const read = tracePartsOf(Buffer.concat(parts)).flatMap(reader.read)
  return read.map(({ line, stream }) => (stream === 'stderr' ? `! ${line}` : line))
}

describe('the trace of a build', () => {
  it('is read as a step, its output and its end', () => {
    const reader = createTraceReader()
    expect(lines(reader, vertex({ digest: 'a', name: '[1/2] FROM base' }), vertex({ digest: 'b', name: '[2/2] RUN make' }))).toEqual([])
    expect(lines(reader, vertex({ digest: 'a', name: '[1/2] FROM base', cached: true, started: 100, completed: 100 }))).toEqual([
      '#1 [1/2] FROM base',
      '#1 CACHED',
    ])
    expect(lines(reader, vertex({ digest: 'b', started: 100 }))).toEqual(['#2 [2/2] RUN make'])
    expect(lines(reader, log('b', 1, 'compi'))).toEqual([])
    expect(lines(reader, log('b', 1, 'ling\nlinking'), log('b', 2, 'careful\n'))).toEqual(['#2 compiling', '! #2 careful'])
    expect(lines(reader, vertex({ digest: 'b', started: 100, completed: 103 }))).toEqual(['#2 linking', '#2 DONE 3.0s'])
  })

  it('says an error on stderr, once, with its first line', () => {
    const reader = createTraceReader()
    const failed = vertex({ digest: 'b', name: '[2/2] RUN false', started: 1, completed: 2, error: 'exit code: 1\nstack\nstack' })
    expect(lines(reader, failed, log('b', 2, 'oh no\n'))).toEqual(['#1 [2/2] RUN false', '! #1 oh no', '! #1 ERROR: exit code: 1 …'])
    expect(lines(reader, failed)).toEqual([])
  })

  it('counts progress by the steps that the names announce', () => {
    const reader = createTraceReader()
    const seen: number[] = []
    const done = (digest: string, name: string) => {
      lines(reader, vertex({ digest, name, started: 1, completed: 2 }))
      seen.push(reader.progress())
    }
    done('i', '[internal] load remote build context')
    done('a', '[1/3] FROM base')
    done('b', '[2/3] COPY . .')
    done('c', '[3/3] RUN make')
    done('d', 'exporting to image')
    expect(seen).toEqual([0, 0.25, 0.5, 0.75, 1])
  })

  it('keeps a character whole that arrives in two pieces', () => {
    const reader = createTraceReader()
    const euro = Buffer.from('€\n')
    expect(lines(reader, log('a', 1, euro.subarray(0, 1)), log('a', 1, euro.subarray(1)))).toEqual(['#1 €'])
  })

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (junk) => {
        const reader = createTraceReader()
        for (const { line } of tracePartsOf(Buffer.from(junk)).flatMap(reader.read)) expect(line).not.toContain('\n')
        expect(reader.progress()).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a sign of life of a build', () => {
  const news = (...messages: Buffer[][]) => {
    const isNews = createNewsCheck()
    return messages.map((parts) => tracePartsOf(Buffer.concat(parts)).filter(isNews).length > 0)
  }

  it('is a step that begins or ends, once', () => {
    const begun = [vertex({ digest: 'a', name: 'RUN make', started: 1 })]
    const ended = [vertex({ digest: 'a', started: 1, completed: 2 })]
    expect(news([vertex({ digest: 'a' })], begun, begun, ended, ended, begun)).toEqual([true, true, false, true, false, false])
  })

  it('is anything that a step prints, even the same again', () => {
    expect(news([log('a', 1, '.')], [log('a', 1, '.')], [log('a', 1, '')])).toEqual([true, true, false])
  })

  it('is a transfer that advances, not one that stalls', () => {
    expect(news([transfer('layer', 10)], [transfer('layer', 10)], [transfer('layer', 20)], [transfer('other', 20)])).toEqual([
      true,
      false,
      true,
      true,
    ])
  })

  it('is no empty message', () => {
    expect(tracePartsOf(Buffer.alloc(0))).toEqual([])
    expect(news([])).toEqual([false])
  })
})
