import { pino } from 'pino'
import { expect, it } from 'vitest'
import { DatabaseLost } from './database-lost.ts'
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

it('a full disk is logged when it begins, once a minute with counts while it lasts, and when it is over', () => {
  const { log, over, lines, words, pass } = open()
  for (let n = 0; n < 600; n += 1) {
    log.warn({ err: new DiskFull() }, 'Lease not extended')
    log.error({ requestId: 'r', err: enospc() }, 'Request failed')
    pass(1)
  }
  expect(words()).toEqual(['Lease not extended', ...Array.from({ length: 9 }, () => 'Disk still refuses writes')])
  expect(lines[1]).toMatchObject({ level: 50, failures: 121, sinceLastLine: { 'Lease not extended': 60, 'Request failed': 60 } })
  over()
  expect(lines.at(-1)).toMatchObject({ level: 30, msg: 'Disk can be written again', failures: 1200 })
  over()
  expect(lines).toHaveLength(11)
})

it('a disk that keeps filling up causes no more lines than that', () => {
  const { log, over, lines, pass } = open()
  for (let n = 0; n < 600; n += 1) {
    log.warn({ err: new DiskFull() }, 'Lease not extended')
    over()
    pass(1)
  }
  expect(lines.length).toBeLessThanOrEqual(20)
})

it('a database server that is away is not called a full disk', () => {
  const { log, over, words, pass } = open()
  log.warn({ err: new DatabaseLost(new Error('ECONNREFUSED')) }, 'Lease not extended')
  pass(60)
  log.warn({ err: new Error('wrapped', { cause: new DatabaseLost(new Error('ECONNREFUSED')) }) }, 'Lease not extended')
  over()
  expect(words()).toEqual(['Lease not extended', 'Database still does not respond', 'Database responds again'])
})

it("counts failures of the engine's disk, and wrapped ones, also through a child logger", () => {
  const { log, words } = open()
  const part = log.child({ name: 'edge' })
  part.warn({ err: new Error('wrapped', { cause: enospc() }) }, 'Proxy not up to date')
  part.warn({ err: new Error('mkdir /var/lib/docker/x: no space left on device') }, 'app was not reconciled')
  expect(words()).toEqual(['Proxy not up to date'])
})

it('all other lines are passed on unchanged', () => {
  const { log, lines, words } = open()
  log.error({ err: new DiskFull() }, 'No job claimed')
  log.error({ err: new Error('something else') }, 'Job failed, trying again')
  log.child({ name: 'edge' }).warn({ reason: 'r' }, 'Certificate rejected by HAProxy')
  log.info('started')
  log.warn('plain')
  expect(words()).toEqual(['No job claimed', 'Job failed, trying again', 'Certificate rejected by HAProxy', 'started', 'plain'])
  expect(lines[2]).toMatchObject({ name: 'edge', reason: 'r', level: 40 })
})

it('a failure long after the last one starts a new count', () => {
  const { log, words, pass } = open()
  log.warn({ err: enospc() }, 'build log was not written')
  pass(3600)
  log.warn({ err: enospc() }, 'build log was not written')
  expect(words()).toEqual(['build log was not written', 'build log was not written'])
})
