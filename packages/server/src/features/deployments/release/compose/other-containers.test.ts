import { expect, it } from 'vitest'
import type { ContainerDetails, ContainerSummary } from '../../../../engine/container-state.ts'
import { ownerOf } from '../../../../engine/labels.ts'
import { createComposeOthers } from './other-containers.ts'

const signal = new AbortController().signal
const db = { id: 'c1', owner: ownerOf({ 'berth.service': 'db', 'berth.deployment': '7' }) } as ContainerSummary // the fields that are read

const ANONYMOUS = 'a'.repeat(64)

function othersWith({ longestGraceSeconds, path = '/data' }: { longestGraceSeconds?: number; path?: string } = {}) {
  const done: unknown[] = []
  const containers = {
    // the fields that are read
    inspect: async () => ({ stopGraceSeconds: 90, volumes: [{ name: ANONYMOUS, path }] as readonly object[] }) as ContainerDetails,
    stop: async (_id: string, grace: number) => void done.push(['stop', grace]),
    remove: async (_id: string, _signal: AbortSignal, options: object) => void done.push(['remove', options]),
  }
  const deps = { engine: { containers }, containers: { ofApp: async () => [db], ofDeployment: async () => [db] } }
  const more = { tuning: { stopGraceSeconds: 10 }, ...(longestGraceSeconds !== undefined && { longestGraceSeconds }) }
  // only the functions that are called here
  const others = createComposeOthers({ ...deps, ...more } as unknown as Parameters<typeof createComposeOthers>[0])
  return { others, done }
}

it('services that are not in the plan are removed, and their data stays', async () => {
  const { others, done } = othersWith()
  await others.removeUnknown(1, { services: [], builds: [], routedService: null }, signal)
  expect(done).toEqual([
    ['stop', 90],
    ['remove', { keepVolumes: true }],
  ])
})

it('an anonymous volume that no successor can get is removed with its container', async () => {
  const { others, done } = othersWith({ path: '/run/cache' })
  await others.removeUnknown(1, { services: [], builds: [], routedService: null }, signal)
  expect(done[1]).toEqual(['remove', { keepVolumes: false }])
})

it('waits for a container no longer than the deadline allows', async () => {
  const { others, done } = othersWith({ longestGraceSeconds: 10 })
  await others.removeOwn(1, 7, signal)
  expect(done[0]).toEqual(['stop', 10])
})
