import { expect, it } from 'vitest'
import { EngineUnreachable } from '../api/errors.ts'
import { nodeOf } from './nodes.ts'
import { createPlacement } from './placement.ts'
import { type SwarmState, SwarmUnavailable } from './swarm.ts'

const machine = { name: 'n1', engine: '27.0.0', cores: 2, memoryBytes: 1024 }
const OURS: SwarmState = { is: 'ours', machine, nodeId: 'x', openUntil: null }
const OFF: SwarmState = { is: 'off', machine, hasLiveRestore: false }

function nodeIn(spec: object, state = 'ready') {
  return nodeOf({ ID: 'a', Spec: spec, Description: { Hostname: 'two' }, Status: { State: state } })
}

function placementOf(states: (SwarmState | Error)[], { nodes = [nodeIn({ Labels: { 'berth.checked': 'true' } })], why = '' } = {}) {
  let asked = 0
  const state = async (): Promise<SwarmState> => {
    const next = states[Math.min(asked, states.length - 1)] ?? OFF
    asked += 1
    if (next instanceof Error) throw next
    return next
  }
  return { placement: createPlacement({ swarm: { state, nodes: async () => nodes }, whyNot: () => why }), asked: () => asked }
}

it('asks once whether there is a Swarm, and again when that may have changed', async () => {
  const { placement, asked } = placementOf([OFF, OURS])
  expect([await placement.isSwarm('i'), await placement.isSwarm('i'), asked()]).toEqual([false, false, 1])
  placement.forget()
  expect([await placement.isSwarm('i'), asked()]).toEqual([true, 2])
})

it('counts as an engine that is away while it is not known, and then asks again', async () => {
  const { placement } = placementOf([new SwarmUnavailable('no leader'), OURS])
  await expect(placement.isSwarm('i')).rejects.toBeInstanceOf(EngineUnreachable)
  expect(await placement.isSwarm('i')).toBe(true)
})

it('is open if a server that has passed its check takes containers, and nothing is missing', async () => {
  const isOpen = async (...given: Parameters<typeof placementOf>) => await placementOf(...given).placement.isOpen('i')
  const checked = { 'berth.checked': 'true' }
  expect(await isOpen([OURS])).toBe(true)
  expect(await isOpen([OFF])).toBe(false)
  expect(await isOpen([OURS], { why: 'There is no registry.' })).toBe(false)
  for (const node of [nodeIn({}), nodeIn({ Labels: checked, Availability: 'pause' }), nodeIn({ Labels: checked }, 'down')])
    expect(await isOpen([OURS], { nodes: [node] })).toBe(false)
})
