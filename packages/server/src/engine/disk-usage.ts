import { createTurns } from '../lib/turns.ts'
import type { Transport } from './api/transport.ts'

/** Asks the engine to measure what it stores, which may take a while. One at a time: older engines refuse a second measurement meanwhile. */
export function createMeasureDisk({ transport }: { transport: Transport }) {
  const inTurn = createTurns<'engine'>()
  return async (type: 'image' | 'volume' | 'build-cache', signal?: AbortSignal): Promise<unknown> =>
    await inTurn(
      'engine',
      async () => await transport.json({ method: 'GET', path: '/system/df', query: { type }, signal, timeoutMs: 300_000 }),
    )
}

export type MeasureDisk = ReturnType<typeof createMeasureDisk>
