import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRedactor } from '../../../lib/redact.ts'
import { type BuildLogs, createBuildLogs } from './build-log.ts'
import type { LogBatch } from './follow-log.ts'
import type { LogLine } from './log-lines.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'berth-logs-'))
})
afterEach(async () => await rm(directory, { recursive: true }))

const plain = createRedactor([])
const logsOf = () => createBuildLogs({ directory, log: pino({ level: 'silent' }) })

async function collect(batches: AsyncGenerator<LogBatch>): Promise<LogLine[]> {
  const all: LogLine[] = []
  for await (const { lines } of batches) all.push(...lines)
  return all
}

const readAll = async (logs: BuildLogs, id: number) => await collect(logs.follow(id, 0, AbortSignal.abort()))

describe('a build log', () => {
  it('numbers its lines, keeps their streams, and is the same for every reader', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, plain)
    writer.append('cloning', 'berth')
    writer.append('output', 'stdout')
    writer.append('!warning', 'stderr')
    await writer.close()
    expect(await readAll(logs, 1)).toEqual([
      { n: 1, line: 'cloning', stream: 'berth' },
      { n: 2, line: 'output', stream: 'stdout' },
      { n: 3, line: '!warning', stream: 'stderr' },
    ])
    expect(await text(logs.text(1))).toBe('cloning\noutput\n!warning\n')
    expect((await stat(path.join(directory, 'd1.log'))).mode & 0o777).toBe(0o600)
  })

  it('redacts before anything is written', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, createRedactor(['hunter22']))
    writer.append('the password is hunter22', 'stdout')
    await writer.close()
    expect(await readFile(path.join(directory, 'd1.log'), 'utf8')).toBe(' the password is ***\n')
  })

  it('a follower gets every line once and in order, wherever it starts', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, plain)
    const ended = new AbortController()
    const followers: Promise<LogLine[]>[] = []
    for (let n = 1; n <= 300; n += 1) {
      if (n % 60 === 1) followers.push(collect(logs.follow(1, 0, ended.signal)))
      if (n === 150) followers.push(collect(logs.follow(1, 100, ended.signal)))
      writer.append(`line ${n}`, 'stdout')
      if (n % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await writer.close()
    ended.abort()
    for (const lines of await Promise.all(followers)) {
      const first = lines[0]?.n ?? 0
      expect([1, 101]).toContain(first)
      expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: 301 - first }, (_unused, index) => index + first))
      expect(lines.every(({ n, line }) => line === `line ${n}`)).toBe(true)
    }
  })

  it('a follower of a finished log gets all of it', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, plain)
    for (const line of ['a', 'b', 'c']) writer.append(line, 'stdout')
    await writer.close()
    expect((await collect(logs.follow(1, 1, AbortSignal.abort()))).map(({ line }) => line)).toEqual(['b', 'c'])
    expect(await collect(logs.follow(2, 0, AbortSignal.abort()))).toEqual([])
  })

  it('a follower that starts after the end gets the lines after that point', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, plain)
    const ended = new AbortController()
    const lines = collect(logs.follow(1, 2, ended.signal))
    for (const line of ['a', 'b', 'c']) writer.append(line, 'stdout')
    await writer.close()
    ended.abort()
    expect((await lines).map(({ n }) => n)).toEqual([3])
  })

  it('half a line left by a crash is dropped, and the numbering continues after the complete lines', async () => {
    const file = path.join(directory, 'd1.log')
    await writeFile(file, ' one\n two\n')
    await appendFile(file, ' thr')
    const logs = logsOf()
    expect((await readAll(logs, 1)).map(({ line }) => line)).toEqual(['one', 'two'])
    const writer = await logs.openWriter(1, plain)
    writer.append('three', 'stdout')
    await writer.close()
    expect((await readAll(logs, 1)).map(({ n, line }) => `${n} ${line}`)).toEqual(['1 one', '2 two', '3 three'])
  })

  it('has a limit: the beginning and the last lines are kept, and those in between are counted', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, plain)
    const long = 'x'.repeat(15_000)
    for (let n = 1; n <= 2200; n += 1) writer.append(`${n} ${long}`, 'stdout')
    await writer.close()
    const lines = await readAll(logs, 1)
    expect(lines[0]?.line.startsWith('1 ')).toBe(true)
    expect(lines.at(-1)?.line.startsWith('2200 ')).toBe(true)
    const mark = lines.filter(({ stream }) => stream === 'berth')
    expect(mark).toHaveLength(1)
    expect(Number(/… (\d+) lines skipped/.exec(mark[0]?.line ?? '')?.[1])).toBe(2200 - (lines.length - 1))
  })

  it('a follower that falls far behind gets every line as well', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, plain)
    const ended = new AbortController()
    const slow = logs.follow(1, 0, ended.signal)
    const lines: LogLine[] = []
    for (let n = 1; n <= 30_000; n += 1) {
      writer.append(`line ${n}`, 'stdout')
      if (n % 10_000 === 0) {
        await writer.flush()
        const next = await slow.next()
        if (next.done !== true) lines.push(...next.value.lines)
      }
    }
    expect(lines.length).toBeLessThan(30_000)
    await writer.close()
    ended.abort()
    lines.push(...(await collect(slow)))
    expect(lines.every(({ n, line }, index) => n === index + 1 && line === `line ${n}`)).toBe(true)
    expect(lines).toHaveLength(30_000)
  })

  it('followers that are up to date share one batch of new lines', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, plain)
    const ended = new AbortController()
    const [one, other] = [logs.follow(1, 0, ended.signal), logs.follow(1, 0, ended.signal)]
    const first = [one.next(), other.next()]
    writer.append('new', 'stdout')
    const [a, b] = (await Promise.all(first)).map((next) => (next.done === true ? undefined : next.value))
    expect(a).toMatchObject({ isShared: true })
    expect(a?.lines).toBe(b?.lines)
    await writer.close()
    ended.abort()
    await Promise.all([one, other].map(collect))
  })

  it('two concurrent writers number their lines as in the file', async () => {
    const logs = logsOf()
    const ended = new AbortController()
    const following = collect(logs.follow(1, 0, ended.signal))
    const writers = await Promise.all(['stdout', 'stderr'].map(async () => await logs.openWriter(1, plain)))
    for (let n = 0; n < 500; n += 1) {
      for (const [index, writer] of writers.entries()) writer.append(`${index} ${n}`, 'stdout')
      if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(writers.map(async (writer) => await writer.close()))
    ended.abort()
    const lines = await following
    expect(lines).toEqual(await readAll(logs, 1))
    expect(lines).toHaveLength(1000)
  })

  it('a line that ends like the beginning of a secret waits for the next one, and the order stays', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, createRedactor(['hunter22-and-more']))
    writer.append('it is hunter22-a', 'stdout')
    writer.append('Starting', 'berth')
    writer.append('nd-more, or not', 'stderr')
    writer.append('nor is hunter22-a', 'stdout')
    await writer.close()
    expect((await readAll(logs, 1)).map(({ line, stream }) => `${stream} ${line}`)).toEqual([
      'stdout it is ***',
      'berth Starting',
      'stderr ***, or not',
      'stdout nor is ***',
    ])
  })

  it('the last line is never redacted', async () => {
    const logs = logsOf()
    const writer = await logs.openWriter(1, createRedactor(['Cancelled-for-good', 'Deployed successfully']))
    writer.append('Cancelled', 'berth')
    writer.append('Deployed successfully', 'berth')
    writer.append('Deployed successfully', 'stdout')
    await writer.close()
    expect(await text(logs.text(1))).toBe('Cancelled\nDeployed successfully\n***\n')
  })

  it('is finished once', async () => {
    const logs = logsOf()
    await logs.finish(1, 'Failed: it did not work')
    await logs.finish(1, 'Cancelled')
    expect(await text(logs.text(1))).toBe('Failed: it did not work\n')
    expect(logs.isOpen(1)).toBe(false)
  })
})
