import { describe, expect, it } from 'vitest'
import { createLogBuffer, type LogBuffer, type LogStream } from './log-buffer.ts'

const line = (text: string, stream: LogStream = 'stdout') => ({ text, stream, at: '' })
const texts = (buffer: LogBuffer): string[] => buffer.view().lines.map(({ text }) => text)
const atOnce = (flush: () => void): void => flush()

describe('a log buffer', () => {
  it('shows lines in order and tells who listens, once per flush', () => {
    const flushes: (() => void)[] = []
    const buffer = createLogBuffer({ capacity: 10, soon: (flush) => flushes.push(flush) })
    let told = 0
    buffer.subscribe(() => {
      told += 1
    })
    buffer.append([line('a')])
    buffer.append([line('b'), line('c')])
    expect(told).toBe(0)
    for (const flush of flushes) flush()
    expect([told, texts(buffer)]).toEqual([1, ['a', 'b', 'c']])
  })

  it('keeps the newest lines and counts the ones it dropped', () => {
    const buffer = createLogBuffer({ capacity: 10, soon: atOnce })
    for (let n = 0; n < 25; n += 1) buffer.append([line(String(n))])
    const { lines, dropped } = buffer.view()
    expect(lines.length + dropped).toBe(25)
    expect(lines.length).toBeLessThanOrEqual(11)
    expect(lines.at(-1)?.text).toBe('24')
  })

  it('shows one stream of what is there and what comes', () => {
    const buffer = createLogBuffer({ capacity: 10, soon: atOnce })
    buffer.append([line('a'), line('b', 'stderr')])
    buffer.setStream('stderr')
    buffer.append([line('c', 'stderr'), line('d')])
    expect(texts(buffer)).toEqual(['b', 'c'])
    buffer.setStream('all')
    buffer.append([line('e')])
    expect(texts(buffer)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('puts older lines in front, also in place of some, and keeps the keys of the others', () => {
    const buffer = createLogBuffer({ capacity: 10, soon: atOnce })
    buffer.append([line('c'), line('d')])
    const key = buffer.view().lines[1]?.n
    buffer.prepend([line('a'), line('b'), line('c')], 1)
    expect(texts(buffer)).toEqual(['a', 'b', 'c', 'd'])
    expect(buffer.view().lines[3]?.n).toBe(key)
    expect(new Set(buffer.view().lines.map(({ n }) => n)).size).toBe(4)
    buffer.replace([line('x')])
    buffer.append([line('y')])
    expect(texts(buffer)).toEqual(['x', 'y'])
  })

  it('holds new lines back while paused and shows them afterwards', () => {
    const buffer = createLogBuffer({ capacity: 10, soon: atOnce })
    buffer.setPaused(true)
    buffer.append([line('a')])
    expect(texts(buffer)).toEqual([])
    buffer.setPaused(false)
    expect(texts(buffer)).toEqual(['a'])
  })

  it('lets old lines go while paused, too', () => {
    const buffer = createLogBuffer({ capacity: 10, soon: atOnce })
    buffer.setPaused(true)
    for (let n = 0; n < 100; n += 1) buffer.append([line(String(n))])
    buffer.setPaused(false)
    expect(texts(buffer).length).toBeLessThanOrEqual(11)
    expect(buffer.view().dropped + texts(buffer).length).toBe(100)
  })
})
