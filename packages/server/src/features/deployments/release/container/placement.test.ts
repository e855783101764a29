import { expect, it } from 'vitest'
import type { AllowedServers } from '../../../../engine/swarm/nodes.ts'
import { allowedServers } from './placement.ts'

const nothing = { files: [] }

function engineWith({ label, why = '' }: { label?: string; why?: string }) {
  const isOpen = async (allowed: AllowedServers = {}) =>
    why === '' && label !== undefined && (allowed.label === undefined || allowed.label === label) && allowed.serverId === undefined
  return { placement: { isOpen, whyNot: () => why } } as Parameters<typeof allowedServers>[0]
}

it('an app without a placement runs where there is room, and here if there is none or a file is too large for Swarm', async () => {
  expect(await allowedServers(engineWith({ label: 'gpu' }), { placement: '' }, nothing)).toEqual({})
  expect(await allowedServers(engineWith({}), { placement: '' }, nothing)).toBeUndefined()
  const file = (bytes: number) => ({ files: [{ path: '/a', mode: 0o644, contents: Buffer.alloc(bytes) }] })
  expect(await allowedServers(engineWith({ label: 'gpu' }), { placement: '' }, file(1))).toEqual({})
  expect(await allowedServers(engineWith({ label: 'gpu' }), { placement: '' }, file(500 * 1024))).toBeUndefined() // more than Swarm takes
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
  const empty = { files: [{ path: '/app/a', mode: 0o644, contents: Buffer.alloc(0) }] }
  await expect(failing({}, { placement: 'label:gpu' }, empty as unknown as typeof nothing)).rejects.toThrow('cannot get its file /app/a')
  await expect(failing(engineWith({ why: 'There is no registry.' }), {})).rejects.toThrow('There is no registry.')
})
