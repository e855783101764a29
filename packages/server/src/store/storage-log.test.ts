import { pino } from 'pino'
import { expect, it } from 'vitest'
import { DiskFull } from './storage-failure.ts'
import { createStorageLog } from './storage-log.ts'

type Line = { level: number; msg: string; failures?: number; sinceLastLine?: Record<string, number>; name?: string }

function open() {
  const lines: Line[] = []
  let seconds = 0
  const target = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }) // pino wrote it
  const { log, over } = createStorageLog(target, () => seconds * 1000)
  return {
    log,
    over,
    lines,
    words: () => lines.map(({ msg }) => msg),
    pass: (more: number) => {
      seconds += more
    },
  }
}
const enospc = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

it('of a full disk there is a line when it begins, one a minute with counts while it lasts, and one when it is over', () => {
  const { log, over, lines, words, pass } = open()
  for (let n = 0; n < 600; n += 1) {
    log.warn({ err: new DiskFull() }, 'lease was not extended')
    log.error({ requestId: 'r', err: enospc() }, 'request failed')
    pass(1)
  }
  expect(words()).toEqual(['lease was not extended', ...Array.from({ length: 9 }, () => 'the disk still refuses writes')])
  expect(lines[1]).toMatchObject({ level: 50, failures: 121, sinceLastLine: { 'lease was not extended': 60, 'request failed': 60 } })
  over()
  expect(lines.at(-1)).toMatchObject({ level: 30, msg: 'the disk can be written again', failures: 1200 })
  over()
  expect(lines).toHaveLength(11)
})

it('a disk that is full and not full by turns writes no more than that', () => {
  const { log, over, lines, pass } = open()
  for (let n = 0; n < 600; n += 1) {
    log.warn({ err: new DiskFull() }, 'lease was not extended')
    over()
    pass(1)
  }
  expect(lines.length).toBeLessThanOrEqual(20)
})

it('counts what the engine says of its disk, and what another error wraps, also behind the logger of a part', () => {
  const { log, words } = open()
  const part = log.child({ name: 'edge' })
  part.warn({ err: new Error('wrapped', { cause: enospc() }) }, 'edge not in its wanted state')
  part.warn({ err: new Error('mkdir /var/lib/docker/x: no space left on device') }, 'app was not reconciled')
  expect(words()).toEqual(['edge not in its wanted state'])
})

it('every other line passes as it is, at any time', () => {
  const { log, lines, words } = open()
  log.error({ err: new DiskFull() }, 'no job could be claimed')
  log.error({ err: new Error('something else') }, 'job failed, and is tried again')
  log.child({ name: 'edge' }).warn({ reason: 'r' }, 'HAProxy does not take a certificate')
  log.info('started')
  log.warn('plain')
  expect(words()).toEqual([
    'no job could be claimed',
    'job failed, and is tried again',
    'HAProxy does not take a certificate',
    'started',
    'plain',
  ])
  expect(lines[2]).toMatchObject({ name: 'edge', reason: 'r', level: 40 })
})

it('a failure long after the last one is a new beginning', () => {
  const { log, words, pass } = open()
  log.warn({ err: enospc() }, 'build log was not written')
  pass(3600)
  log.warn({ err: enospc() }, 'build log was not written')
  expect(words()).toEqual(['build log was not written', 'build log was not written'])
})
