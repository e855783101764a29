import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createNeighbourTable } from './neighbour-table.ts'

/** What the settings are afterwards. */
async function after(settings: Readonly<Record<string, number>>, mode: 'auto' | 'off' = 'auto'): Promise<Record<string, number>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-neighbours-'))
  try {
    for (const [name, value] of Object.entries(settings)) await writeFile(path.join(directory, name), `${value}\n`)
    const table = createNeighbourTable({ log: pino({ level: 'silent' }), mode, engine: { socketPath: '/run/docker.sock' }, directory })
    await table.ensure(8080)
    expect(table.message()).toBe('')
    const read = async (name: string) => [name, Number.parseInt(await readFile(path.join(directory, name), 'utf8'), 10)] as const
    return Object.fromEntries(await Promise.all(Object.keys(settings).map(read)))
  } finally {
    await rm(directory, { recursive: true })
  }
}

it('makes room for every address of the bridge of build steps', async () => {
  expect(await after({ gc_thresh1: 128, gc_thresh2: 512, gc_thresh3: 1024 })).toEqual({
    gc_thresh1: 128,
    gc_thresh2: 65_536,
    gc_thresh3: 131_072,
  })
})

it.each([
  ['larger settings of the machine', { gc_thresh2: 200_000, gc_thresh3: 400_000 }, 'auto'],
  ['the settings, if Berth may not change the firewall', { gc_thresh2: 512, gc_thresh3: 1024 }, 'off'],
  ['a kernel without them', {}, 'auto'],
] as const)('leaves %s alone', async (_, settings, mode) => {
  expect(await after(settings, mode)).toEqual(settings)
})
