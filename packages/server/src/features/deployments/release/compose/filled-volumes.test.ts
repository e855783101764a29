import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ComposePlan, StackMount } from '../../../../engine/compose/stack.ts'
import { rememberFilled } from './filled-volumes.ts'

function planWith(mounts: StackMount[]): ComposePlan {
  const service = {
    name: 'web',
    image: 'x',
    environment: {},
    restart: { policy: 'no' },
    dependsOn: [],
    ports: [],
    aliases: [],
    capDrop: [],
  } as const
  return { services: [{ ...service, mounts }], builds: [], routedService: 'web' }
}

it('a folder that one release drops keeps its data when a later one brings it back', async () => {
  const top = await mkdtemp(join(tmpdir(), 'berth-filled-'))
  try {
    const folder = { volume: 'berth-abc-app-7-b1', path: '/data', fill: { files: [], once: true } }
    const content = { volume: 'berth-abc-app-7-f1', path: '/conf', fill: { files: [], once: false } }
    const plan = (id: number) => join(top, 'app-7', `d${id}`)
    expect((await rememberFilled(plan(1), undefined))(folder.volume)).toBe(false) // nothing was live, so it is filled again
    expect((await rememberFilled(plan(1), planWith([folder, content])))(folder.volume)).toBe(true)
    const later = await rememberFilled(plan(2), planWith([]))
    expect([later(folder.volume), later(content.volume)]).toEqual([true, false])
  } finally {
    await rm(top, { recursive: true })
  }
})
