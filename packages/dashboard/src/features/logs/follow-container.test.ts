import type { ContainerFrame } from '@berth/contract'
import { describe, expect, it } from 'vitest'
import { createContainerReader, processPrefix } from './follow-container.ts'

function log(line: string, at: string): ContainerFrame {
  return { type: 'log', timestamp: '2026-01-01T00:00:00Z', data: { line, stream: 'stdout', at } }
}

describe('reading the log of a container', () => {
  it('leaves out lines that come again after a reconnect', () => {
    const reader = createContainerReader()
    reader.reconnected()
    const read = (frames: ContainerFrame[]) => frames.flatMap((frame) => reader.lineOf(frame)?.text ?? [])
    expect(read([log('a', '2026-01-01T00:00:01.000000001Z'), log('b', '2026-01-01T00:00:02.000000000Z')])).toEqual(['a', 'b'])
    reader.reconnected()
    expect(read([log('b', '2026-01-01T00:00:02.000000000Z'), log('c', '2026-01-01T00:00:03.000000000Z')])).toEqual(['c'])
  })

  it('says which container printed a line, and leaves out only what that one had shown before a reconnect', () => {
    const reader = createContainerReader({ withPrefix: true })
    const by = (service: string, replica: number, at: string) =>
      reader.lineOf({ type: 'log', timestamp: at, data: { line: 'x', stream: 'stdout', at, service, replica } })?.text
    const [first, second] = ['2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z']
    expect([by('web', 1, second), by('web', 2, second), by('', 2, second)]).toEqual(['web | x', 'web replica 2 | x', 'replica 2 | x'])
    reader.reconnected()
    expect([by('web', 1, second), by('db', 1, first)]).toEqual([undefined, 'db | x'])
  })

  it('names the main process as the others, and numbers those with several containers', () => {
    const named = processPrefix('web', ['worker'])
    const said = [
      { service: '', replica: 1 },
      { service: 'worker', replica: 1 },
      { service: 'worker', replica: 2 },
      { service: 'scheduler', replica: 1 },
    ].map(named)
    expect(said).toEqual(['web | ', 'worker replica 1 | ', 'worker replica 2 | ', 'scheduler | '])
  })

  it('shows lines of one instant that come in one go', () => {
    const reader = createContainerReader()
    const at = '2026-01-01T00:00:01.000000001Z'
    expect([log('a', at), log('b', at)].map((frame) => reader.lineOf(frame)?.text)).toEqual(['a', 'b'])
  })

  it('says that lines were skipped and that the container ended', () => {
    const reader = createContainerReader()
    const timestamp = '2026-01-01T00:00:00Z'
    expect(reader.lineOf({ type: 'gap', timestamp, data: { lines: 3 } })?.text).toBe('3 lines skipped: they arrived too fast to show.')
    expect(reader.lineOf({ type: 'end', timestamp, data: { message: 'It exited.' } })?.stream).toBe('berth')
  })
})
