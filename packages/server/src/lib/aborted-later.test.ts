import { expect, it, vi } from 'vitest'
import { abortedLater } from './aborted-later.ts'

it('aborts so much later than the other one, with its reason', () => {
  vi.useFakeTimers()
  try {
    const first = new AbortController()
    const signals = [abortedLater(first.signal, 100)]
    first.abort('cancelled')
    signals.push(abortedLater(first.signal, 100))
    vi.advanceTimersByTime(99)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    vi.advanceTimersByTime(1)
    expect(signals.map(({ aborted, reason }: AbortSignal) => [aborted, reason as string])).toEqual([
      [true, 'cancelled'],
      [true, 'cancelled'],
    ])
  } finally {
    vi.useRealTimers()
  }
})
