import { expect, it } from 'vitest'
import type { AllowedServers } from '../../../../engine/swarm/nodes.ts'
import { allowedServers } from './placement.ts'

const nothing = { volumes: [], files: [] }
const withData = { volumes: [{ volume: 'v', path: '/data' }], files: [] }

function engineWith({ label, why = '' }: { label?: string; why?: string }) {
  const isOpen = async (allowed: AllowedServers = {}) =>
    why === '' && label !== undefined && (allowed.label === undefined || allowed.label === label) && allowed.serverId === undefined
  return { placement: { isOpen, whyNot: () => why } } as Parameters<typeof allowedServers>[0]
}

it('an app without a placement runs where there is room, and here if there is none or it has data', async () => {
  expect(await allowedServers(engineWith({ label: 'gpu' }), { placement: '' }, nothing)).toEqual({})
  expect(await allowedServers(engineWith({}), { placement: '' }, nothing)).toBeUndefined()
  expect(await allowedServers(engineWith({ label: 'gpu' }), { placement: '' }, withData)).toBeUndefined()
})

it('an app can be kept here, or on servers with a label', async () => {
  expect(await allowedServers(engineWith({ label: 'gpu' }), { placement: 'this' }, nothing)).toBeUndefined()
  expect(await allowedServers(engineWith({ label: 'gpu' }), { placement: 'label:gpu' }, nothing)).toEqual({ label: 'gpu' })
})

it('a deployment that cannot run where it must says why', async () => {
  const failing = async (engine: object, app: object, spec = nothing) =>
    await allowedServers({ ...engineWith({ label: 'gpu' }), ...engine }, { placement: 'label:ssd', ...app }, spec)
  await expect(failing({}, {})).rejects.toThrow('servers with the label ssd, but no such server takes apps now')
  await expect(failing({}, { placement: 'server:b' })).rejects.toThrow('the server b, but no such server')
  await expect(failing({}, { placement: 'label:gpu' }, withData as typeof nothing)).rejects.toThrow(
    'its volumes and files are on the server',
  )
  await expect(failing(engineWith({ why: 'There is no registry.' }), {})).rejects.toThrow('There is no registry.')
})
