import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { TracePart } from './buildkit-messages.ts'
import { createBuildOutput } from './output.ts'

const printed = (text: string): TracePart => ({ kind: 'printed', printed: { digest: 'a', stream: 'stdout', bytes: Buffer.from(text) } })
const begun: TracePart = {
  kind: 'vertex',
  update: { digest: 'a', name: 'RUN yes', isCached: false, startedAt: 1, completedAt: null, error: '' },
}
const ended: TracePart = {
  kind: 'vertex',
  update: { digest: 'a', name: 'RUN yes', isCached: false, startedAt: 1, completedAt: 2, error: '' },
}

function open(options: { mostWaitingBytes?: number; signal?: AbortSignal } = {}) {
  const lines: string[] = []
  const signal = options.signal ?? new AbortController().signal
  const output = createBuildOutput({ onLine: (line) => lines.push(line), onProgress: () => undefined, ...options, signal })
  return { lines, output }
}

const LEFT_OUT = /^… (\d+) bytes of output left out/
const leftOut = (lines: readonly string[]) => lines.reduce((sum, line) => sum + Number(LEFT_OUT.exec(line)?.[1] ?? 0), 0)

describe('the output of a build', () => {
  it('is complete and in order if it does not exceed the buffer', async () => {
    const { lines, output } = open()
    output.take([begun, printed('one\ntw')])
    output.take([printed('o\n'), { kind: 'line', line: 'said', stream: 'stderr' }, ended])
    await output.end()
    expect(lines).toEqual(['#1 RUN yes', '#1 one', '#1 two', 'said', '#1 DONE 1.0s'])
  })

  it('is accepted at once and split into lines later, with other work in between', async () => {
    const { lines, output } = open()
    output.take([printed('\n'.repeat(20_000))])
    expect(lines).toEqual([])
    const seen: number[] = []
    for (let turn = 0; turn < 5; turn += 1) {
      await sleep(1)
      seen.push(lines.length)
    }
    await output.end()
    expect(lines).toHaveLength(20_000)
    expect(seen[0]).toBeLessThan(20_000)
  })

  it('loses its oldest lines when too much waits, never the steps nor the end, and says how much is missing', async () => {
    const { lines, output } = open({ mostWaitingBytes: 64 * 1024 })
    const total = 4 * 1024 * 1024
    output.take([begun])
    for (let taken = 0; taken < total; taken += 256 * 1024) output.take([printed('\n'.repeat(256 * 1024))])
    output.take([printed('the end\n'), ended])
    await output.end()
    const empty = lines.filter((line) => line === '#1 ').length
    expect(empty).toBeLessThanOrEqual(64 * 1024)
    expect(empty + leftOut(lines)).toBe(total)
    expect(lines.filter((line) => !LEFT_OUT.test(line) && line !== '#1 ')).toEqual(['#1 RUN yes', '#1 the end', '#1 DONE 1.0s'])
  })

  it('counts many small pieces as what they take in memory', async () => {
    const { lines, output } = open({ mostWaitingBytes: 64 * 1024 })
    for (let n = 0; n < 10_000; n += 1) output.take([printed('.\n')])
    await output.end()
    expect(lines.length).toBeLessThan(300)
    expect(leftOut(lines)).toBeGreaterThan(19_000)
  })

  it('is made into no more lines once nobody wants them', async () => {
    const stop = new AbortController()
    const { lines, output } = open({ signal: stop.signal })
    output.take([printed('\n'.repeat(1_000_000))])
    stop.abort()
    await output.end()
    expect(lines).toEqual([])
  })

  it('that cannot be passed on fails at the end, and not somewhere else', async () => {
    const fail = () => {
      throw new Error('no room')
    }
    const output = createBuildOutput({ onLine: fail, onProgress: () => undefined, signal: new AbortController().signal })
    output.take([printed('x\n')])
    await sleep(20)
    await expect(output.end()).rejects.toThrow('no room')
  })
})
