import { expect, it } from 'vitest'
import type { AppRow } from '../domain/rows.ts'
import type { ContainerSummary } from '../engine/container-state.ts'
import { createComeHome } from './come-home.ts'

const NOW = new Date('2026-01-01T00:02:00Z')
const container = (id: string, waitingSince?: string) => ({ id, name: id, ...(waitingSince && { waitingSince }) }) as ContainerSummary // what is read of it
const runs = container('runs')
const waits = container('waits', '2026-01-01T00:00:30Z')
const waitsBriefly = container('waits briefly', '2026-01-01T00:01:30Z')

async function leftOf({ placement = '', isOpen = false }: { placement?: string; isOpen?: boolean }) {
  const removed: string[] = []
  const engine = { containers: { remove: async (id: string) => void removed.push(id) }, placement: { isOpen: async () => isOpen } }
  const comeHome = createComeHome({ engine, waitForServerMs: 60_000, now: () => NOW, log: { warn: () => undefined } })
  const left = await comeHome({ id: 1, placement } as AppRow, [runs, waits, waitsBriefly])
  return { removed, left: left.map(({ id }) => id) }
}

const ALL = { removed: [], left: ['runs', 'waits', 'waits briefly'] }

it('what has waited long for another server is removed, to be started here', async () => {
  expect(await leftOf({})).toEqual({ removed: ['waits'], left: ['runs', 'waits briefly'] })
})

it('what another server can take, or has to run on certain servers, is left to Swarm', async () => {
  expect(await leftOf({ isOpen: true })).toEqual(ALL)
  expect(await leftOf({ placement: 'label:fast' })).toEqual(ALL)
})
