import { appendFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { addApp, addDeployment } from '../../../../testing/harness/stored-app.ts'
import { openTestDatabase } from '../../../../testing/harness/test-database.ts'
import { findDeployment } from '../../../domain/rows.ts'
import { createRedactor } from '../../../lib/redact.ts'
import type { Db } from '../../../store/database.ts'
import { createDeploymentStreams } from '../streams.ts'
import { createBuildLogs } from './build-log.ts'
import { createSharedLogs } from './shared-logs.ts'

const redactor = createRedactor([])
let root: string
let test: Awaited<ReturnType<typeof openTestDatabase>>
let id: number
const living = new Set<string>()

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-logs-'))
  test = await openTestDatabase()
  id = (await addDeployment(test.db, await addApp(test.db, 'a@example.test'), { sealed_config: '', image: '' })).id
  living.clear()
})
afterEach(async () => {
  vi.useRealTimers()
  await test[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
})

/** A node with a data directory of its own; the same one after a restart, if it had that name before. */
function startNode(name: string, db = test.db) {
  const shared = createSharedLogs({ db, node: name, isLiving: async (_tx, other) => living.has(other), log: { warn: () => undefined } })
  const logs = createBuildLogs({ directory: join(root, name), log: { warn: () => undefined }, shared })
  const write = async (...lines: string[]) => {
    const writer = await logs.openWriter(id, redactor, { holdsLease: true })
    for (const line of lines) writer.append(line, 'stdout')
    await writer.flush()
    return writer
  }
  return { ...logs, shared, write, read: async () => await text(logs.text(id)), path: join(root, name, `d${id}.log`) }
}

/** Everything that a follower is told, by number. */
function follow(node: ReturnType<typeof startNode>, ended: AbortSignal, from = 0) {
  const heard: string[] = []
  const done = (async () => {
    for await (const { lines } of node.follow(id, from, ended)) heard.push(...lines.map(({ n, line }) => `${n} ${line}`))
  })()
  return { heard, done }
}

it('another node reads what was written, while it is written and to the last line', async () => {
  const [a, b] = [startNode('a'), startNode('b')]
  const ended = new AbortController()
  const early = follow(b, ended.signal)
  const writer = await a.write('one', 'two')
  await expect.poll(() => early.heard, { timeout: 10_000 }).toEqual(['1 one', '2 two'])
  expect(await b.read()).toBe('one\ntwo\n')
  const late = follow(b, ended.signal, 1)
  writer.append('three', 'stderr')
  await expect.poll(() => late.heard, { timeout: 10_000 }).toEqual(['2 two', '3 three'])
  writer.append('four', 'stdout')
  ended.abort() // the row of the deployment may say that it has ended before its last lines are stored
  await writer.close()
  await Promise.all([early.done, late.done])
  expect([early.heard.slice(2), late.heard.slice(2)]).toEqual([['3 three', '4 four'], ['4 four']])
  expect(await readFile(b.path, 'utf8')).toBe(await readFile(a.path, 'utf8'))
  expect(await startNode('c').read()).toBe('one\ntwo\nthree\nfour\n')
})

it('a follower that comes late hears what is stored, without waiting for another line', async () => {
  const [a, b] = [startNode('a'), startNode('b')]
  const writer = await a.write('one', 'two')
  await a.shared.ship(id, { path: a.path })
  const ended = new AbortController()
  const late = follow(b, ended.signal)
  await expect.poll(() => late.heard, { timeout: 5000 }).toEqual(['1 one', '2 two'])
  ended.abort()
  await writer.close()
  await late.done
})

it('a node that takes over the work goes on after what was stored, and the first one can add nothing', async () => {
  const [a, b] = [startNode('a'), startNode('b')]
  const old = await a.write('one')
  await a.shared.ship(id, { path: a.path })
  const next = await b.write('two')
  old.append('never stored', 'stdout') // it was paused, and does not know yet
  await old.close()
  await next.close()
  expect(await b.read()).toBe('one\ntwo\n')
  expect(await a.read()).toBe('one\ntwo\n')
  expect(await startNode('a').read()).toBe('one\ntwo\n')
})

it('what a killed node had written and not stored is stored at its next start, unless another one went on', async () => {
  const a = startNode('a')
  const writer = await a.write('one')
  await a.shared.ship(id, { path: a.path })
  await appendFile(a.path, ' two\n half a li') // as if it was killed now
  const again = startNode('a')
  await again.storeRest()
  expect(await startNode('b').read()).toBe('one\ntwo\n')
  await (await startNode('b').write('three')).close()
  await appendFile(a.path, ' lost\n')
  await startNode('a').storeRest()
  expect([await startNode('a').read(), await startNode('c').read()]).toEqual(['one\ntwo\nthree\n', 'one\ntwo\nthree\n'])
  await writer.close()
})

it('who only wants to add a line takes no log from a living node that writes it', async () => {
  const [a, b] = [startNode('a'), startNode('b')]
  const writer = await a.write('one')
  living.add('a')
  await expect(b.openWriter(id, redactor)).rejects.toThrow('another node writes the log')
  expect(b.isOpen(id)).toBe(false)
  living.delete('a')
  await (await b.openWriter(id, redactor)).close()
  await writer.close()
})

it('who only wants to add a line takes no log that another node has just begun', async () => {
  const b = startNode('b')
  living.add('b')
  let begun: ReturnType<typeof b.write> | undefined
  const transaction: Db['transaction'] = async (work, options) => {
    await (begun ??= b.write('one')) // at the last moment
    return await test.db.transaction(work, options)
  }
  const a = startNode(
    'a',
    new Proxy(test.db, { get: (db, name): unknown => (name === 'transaction' ? transaction : Reflect.get(db, name)) }),
  )
  await expect(a.openWriter(id, redactor)).rejects.toThrow('another node writes the log')
  const writer = await begun
  await writer?.close()
  expect([await b.read(), await startNode('c').read()]).toEqual(['one\n', 'one\n'])
})

it('the last line is there once, whether who cancels or who runs the deployment wrote it, or both', async () => {
  const [a, b] = [startNode('a'), startNode('b')]
  const cancelling = await b.openWriter(id, redactor)
  const running = await a.write() // takes the log over in between
  for (const writer of [cancelling, running]) writer.append('Cancelled', 'berth')
  await cancelling.close()
  await running.close()
  const [one, other] = [await a.openWriter(id, redactor), await a.openWriter(id, redactor)]
  for (const writer of [one, other]) writer.append('Cancelled', 'berth')
  for (const writer of [one, other]) await writer.close()
  expect([await a.read(), await b.read()]).toEqual(['Cancelled\n', 'Cancelled\n'])
})

it('long logs are stored in parts, and compressed', async () => {
  const [a, b] = [startNode('a'), startNode('b')]
  const writer = await a.write(
    ...Array.from({ length: 20_000 }, (_unused, n) => `line ${n} of a log that is long and says the same again and again`),
  )
  await writer.close()
  const whole = await a.read()
  expect(await b.read()).toBe(whole)
  const parts = await test.db.selectFrom('deployment_log_part').select(['bytes', 'packed']).execute()
  const sum = (numbers: readonly number[]) => numbers.reduce((before, number) => before + number, 0)
  expect(parts.length).toBeGreaterThan(3)
  expect(Math.max(...parts.map(({ bytes }) => bytes))).toBeLessThanOrEqual(256 * 1024)
  expect(sum(parts.map(({ packed }) => packed.length))).toBeLessThan(whole.length / 5)
})

it('a follower goes on when the work moves to its own node, and hears every line once', async () => {
  const [a, b] = [startNode('a'), startNode('b')]
  const ended = new AbortController()
  const following = follow(b, ended.signal)
  const old = await a.write('one')
  await expect.poll(() => following.heard, { timeout: 10_000 }).toEqual(['1 one'])
  const next = await b.write('two')
  await expect.poll(() => following.heard, { timeout: 10_000 }).toEqual(['1 one', '2 two'])
  await old.close()
  next.append('three', 'stdout')
  await next.close()
  ended.abort()
  await following.done
  expect(following.heard).toEqual(['1 one', '2 two', '3 three'])
})

it('a follower that comes when the last one has just left hears every line', async () => {
  const [a, b] = [startNode('a'), startNode('b')]
  const [left, ended] = [new AbortController(), new AbortController()]
  const writer = await a.write('one')
  const first = follow(b, left.signal)
  await expect.poll(() => first.heard, { timeout: 10_000 }).toEqual(['1 one'])
  vi.useFakeTimers({ toFake: ['performance'] })
  left.abort()
  const next = follow(b, ended.signal)
  await expect.poll(() => next.heard, { timeout: 10_000 }).toEqual(['1 one'])
  vi.advanceTimersByTime(60_000) // longer than the last lines are waited for
  await sleep(1000)
  writer.append('two', 'stdout')
  await expect.poll(() => next.heard, { timeout: 10_000 }).toEqual(['1 one', '2 two'])
  ended.abort()
  await writer.close()
  await Promise.all([first.done, next.done])
})

/** A log of which the followers on node a have heard a line that is lost: node b went on without it. */
async function loseLine() {
  const [a, b] = [startNode('a'), startNode('b')]
  const old = await a.write('one')
  await a.shared.ship(id, { path: a.path })
  return {
    a,
    goOn: async () => {
      const next = await b.write('two')
      await b.shared.ship(id, { path: b.path })
      await old.close()
      return next
    },
    lose: async () => {
      old.append('lost', 'stdout')
      await old.flush()
    },
  }
}

it('who was told a line that is lost has to begin again, and then hears what is in the log', async () => {
  const { a, lose, goOn } = await loseLine()
  const ended = new AbortController()
  const early = follow(a, ended.signal)
  await lose()
  await expect.poll(() => early.heard, { timeout: 10_000 }).toEqual(['1 one', '2 lost'])
  const [next] = await Promise.all([goOn(), expect(early.done).rejects.toThrow('replaced by that of another node')])
  const again = follow(a, ended.signal)
  await expect.poll(() => again.heard, { timeout: 10_000 }).toEqual(['1 one', '2 two'])
  next.append('three', 'stdout')
  await expect.poll(() => again.heard, { timeout: 10_000 }).toEqual(['1 one', '2 two', '3 three'])
  ended.abort()
  await next.close()
  await again.done
})

it('a stream ends at once when its log has to be read again, while the deployment goes on', async () => {
  const { a, lose, goOn } = await loseLine()
  const deployment = await findDeployment(test.db, id)
  if (!deployment) throw new Error('the deployment is gone')
  const streams = createDeploymentStreams({ db: test.db, nudge: test.nudge, logs: a, isWriting: () => true, now: () => new Date() })
  const stream = streams['deployment.streamById']
  let batches = 0
  const closed = new AbortController()
  const request = {
    deployment,
    input: { deploymentId: id },
    send: () => undefined,
    sendEncoded: () => void (batches += 1),
    sendEncodedAndWait: async () => void (batches += 1),
    room: async () => undefined,
    signal: closed.signal,
  }
  const streaming = stream(request as unknown as Parameters<typeof stream>[0]) // it uses no more of a request
  await expect.poll(() => batches, { timeout: 10_000 }).toBe(1)
  await lose()
  await expect.poll(() => batches, { timeout: 10_000 }).toBe(2)
  const close = setTimeout(() => closed.abort(), 8000)
  const [next] = await Promise.all([goOn(), expect(streaming).rejects.toThrow('replaced by that of another node')])
  expect(closed.signal.aborted).toBe(false)
  clearTimeout(close)
  await next.close()
})

it('a log whose file could not be opened for writing is stored and closed at the next try', async () => {
  const { shared, path } = startNode('a')
  let isBroken = true
  const catchUp: typeof shared.catchUp = async (...given) => {
    const found = await shared.catchUp(...given)
    if (isBroken) await rm(path).then(async () => await mkdir(path)) // the disk fails just now
    return found
  }
  const logs = createBuildLogs({ directory: join(root, 'a'), log: { warn: () => undefined }, shared: { ...shared, catchUp } })
  await expect(logs.openWriter(id, redactor, { holdsLease: true })).rejects.toThrow('EISDIR')
  await rm(path, { recursive: true })
  isBroken = false
  const writer = await logs.openWriter(id, redactor, { holdsLease: true })
  writer.append('one', 'stdout')
  await writer.close()
  expect(await shared.leftOpen()).toEqual([])
  expect(await startNode('b').read()).toBe('one\n')
})

it('says once that a log cannot be copied, until it can be copied again', async () => {
  const [a, { shared }] = [startNode('a'), startNode('b')]
  const writer = await a.write('one')
  let [isLost, tries, warnings] = [true, 0, 0]
  const look: typeof shared.look = async (...given) => {
    tries += 1
    if (isLost) throw new Error('the database is lost')
    return await shared.look(...given)
  }
  const logs = createBuildLogs({ directory: join(root, 'b'), log: { warn: () => void (warnings += 1) }, shared: { ...shared, look } })
  const ended = new AbortController()
  const following = follow({ ...startNode('b'), ...logs }, ended.signal)
  await expect.poll(() => tries, { timeout: 10_000 }).toBeGreaterThan(2)
  expect(warnings).toBe(1)
  isLost = false
  writer.append('two', 'stdout')
  await expect.poll(() => following.heard, { timeout: 10_000 }).toEqual(['1 one', '2 two'])
  isLost = true
  await expect.poll(() => warnings, { timeout: 10_000 }).toBe(2)
  isLost = false
  ended.abort()
  await writer.close()
  await following.done
})
