import { mkdtempDisposable } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createAccessCounts } from './access-counts.ts'

it('returns what each app served since the last call, once', async () => {
  await using directory = await mkdtempDisposable(path.join(tmpdir(), 'berth-access-'))
  const socketPath = path.join(directory.path, 'socket')
  const lines = ['app-1|x 200 10 100 50', 'app-1|x 500 90 100 50', 'app-1|x 404 10 100 50', 'app-2|x 101 5 1 1', ''].join('\n')
  const log = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.write(lines)))
  await new Promise<void>((resolve) => log.listen(socketPath, resolve))
  const counts = createAccessCounts({ socketPath, now: () => new Date() })
  try {
    await expect.poll(() => counts.snapshot('app-2').requests, { timeout: 30_000 }).toBe(1)
    const taken = counts.take(() => true)
    expect(taken.get('app-1')).toMatchObject({ requests: 3, errors: 1 })
    expect(taken.get('app-1')?.p50Ms).toBeLessThan(15)
    expect(taken.get('app-1')?.p99Ms).toBeGreaterThan(80)
    expect(taken.get('app-2'), 'an upgrade has no latency').toEqual({ requests: 1, errors: 0, p50Ms: null, p99Ms: null })
    expect(counts.take((key) => key === 'app-1').size).toBe(0)
    expect([counts.snapshot('app-1').requests, counts.snapshot('app-2').requests], 'an app that is gone is forgotten').toEqual([3, 0])
  } finally {
    counts.close()
    log.close()
  }
})
