import { expect, it } from 'vitest'
import { EngineUnreachable, SwarmUnavailable } from '../api/errors.ts'
import { nodeOf } from './nodes.ts'
import { createPlacement } from './placement.ts'

const CHECKED = { 'berth.checked': 'true' }

function nodeIn(spec: object, state = 'ready') {
  return nodeOf({ ID: 'a', Spec: spec, Description: { Hostname: 'two' }, Status: { State: state } })
}

function placementOf({ nodes = [nodeIn({ Labels: CHECKED })], isSwarm = true, why = '', failure = undefined as Error | undefined } = {}) {
  const asked = async () => {
    if (failure) throw failure
    return nodes
  }
  return createPlacement({ swarm: { nodes: asked }, isSwarm: async () => isSwarm, whyNot: () => why })
}

it('asks the engine nothing without a Swarm of ours, or while something is missing', async () => {
  const failure = new Error('asked')
  expect(await placementOf({ isSwarm: false, failure }).isOpen()).toBe(false)
  expect(await placementOf({ why: 'There is no registry.', failure }).isOpen()).toBe(false)
})

it('counts as an engine that is away while there is no leader', async () => {
  const placement = placementOf({ failure: new SwarmUnavailable('no leader') })
  for (const ask of [placement.isOpen, async () => await placement.openNodes({}), placement.readyNodes])
    await expect(ask()).rejects.toBeInstanceOf(EngineUnreachable)
})

it('is open if a server that has passed its check takes containers', async () => {
  expect(await placementOf().isOpen()).toBe(true)
  for (const node of [nodeIn({}), nodeIn({ Labels: CHECKED, Availability: 'pause' }), nodeIn({ Labels: CHECKED }, 'down')])
    expect(await placementOf({ nodes: [node] }).isOpen()).toBe(false)
})

it('is open for an app that asks for a server or a label if such a server takes containers', async () => {
  const labels = { ...CHECKED, 'berth.server': 's1', 'berth.label.gpu': 'true' }
  const placement = placementOf({ nodes: [nodeIn({ Labels: labels })] })
  for (const allowed of [{ serverId: 's1' }, { label: 'gpu' }]) expect(await placement.isOpen(allowed)).toBe(true)
  for (const allowed of [{ serverId: 's2' }, { label: 'ssd' }]) expect(await placement.isOpen(allowed)).toBe(false)
})
