import { expect, it } from 'vitest'
import { createDataGate } from './data-gate.ts'
import type { PlacedVolume } from './placed-volumes.ts'
import type { PlacedServer } from './placement.ts'

const ready: PlacedServer = { nodeId: 'x', name: 'n2', isReady: true, isOpen: true }
const needs = { instance: 'abc', serverId: 's2', volumes: [{ name: 'v', path: '/data', isAlone: true }] }

function gateWith({
  server = ready,
  looks = [{ name: 'v', isUsed: false }],
}: {
  server?: PlacedServer | null
  looks?: (PlacedVolume | undefined)[]
}) {
  const asked: string[] = []
  const look = async (_at: object, name: string) => {
    asked.push(name)
    return looks[Math.min(asked.length, looks.length) - 1]
  }
  return { gate: createDataGate({ placement: { serverOf: async () => server ?? undefined }, volumes: { look } }), asked }
}

it('lets a container start whose volumes are on its server and used by nobody', async () => {
  const { gate, asked } = gateWith({})
  await gate.pass(needs)
  expect(asked).toEqual(['v'])
  expect(await gate.dataServerOf(needs)).toEqual({ name: 'n2', isLost: false, why: '' })
})

it('asks nothing about a container without volumes', async () => {
  const { gate, asked } = gateWith({ server: null })
  await gate.pass({ ...needs, volumes: [] })
  expect(await gate.dataServerOf({ ...needs, volumes: [] })).toBeUndefined()
  expect(asked).toEqual([])
})

it.each([
  ['is lost', { ...ready, isReady: false, isOpen: false }, 'does not answer'],
  ['is paused', { ...ready, isOpen: false }, 'takes no containers now'],
  ['is gone', null, 'is not one of the servers any more'],
])('lets nothing start while its server %s', async (_how, server, words) => {
  const { gate, asked } = gateWith({ server })
  await expect(gate.pass(needs)).rejects.toMatchObject({ name: 'ServerAway', message: expect.stringContaining(words) })
  expect((await gate.dataServerOf(needs))?.why).toContain(words)
  expect(asked).toEqual([])
})

it('a volume that is not there is an error, and not a new and empty one', async () => {
  const { gate } = gateWith({ looks: [undefined] })
  await expect(gate.pass(needs)).rejects.toMatchObject({
    name: 'VolumeLost',
    message: expect.stringContaining('Its volume for /data (v) is not on the server n2 any more.'),
  })
})

it('waits until a container that had it has ended, but not for one that may share it', async () => {
  const used = { name: 'v', isUsed: true }
  const first = gateWith({ looks: [used, used, { name: 'v', isUsed: false }] })
  await first.gate.pass(needs)
  expect(first.asked).toHaveLength(3)
  const shared = gateWith({ looks: [used] })
  await shared.gate.pass({ ...needs, volumes: [{ name: 'v', path: '/data', isAlone: false }] })
  expect(shared.asked).toHaveLength(1)
})
