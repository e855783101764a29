import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createKernelTables } from './kernel-tables.ts'

const NEIGHBOURS = 'net/ipv4/neigh/default'
const CONNECTIONS = 'net/netfilter/nf_conntrack_max'

/** What the settings are afterwards. */
async function after(settings: Readonly<Record<string, number>>, mode: 'auto' | 'off' = 'auto'): Promise<Record<string, number>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'berth-tables-'))
  try {
    for (const [name, value] of Object.entries(settings)) {
      await mkdir(path.dirname(path.join(directory, name)), { recursive: true })
      await writeFile(path.join(directory, name), `${value}\n`)
    }
    const tables = createKernelTables({ log: pino({ level: 'silent' }), mode, engine: { socketPath: '/run/docker.sock' }, directory })
    await tables.ensure(8080)
    expect(tables.message()).toBe('')
    const read = async (name: string) => [name, Number.parseInt(await readFile(path.join(directory, name), 'utf8'), 10)] as const
    return Object.fromEntries(await Promise.all(Object.keys(settings).map(read)))
  } finally {
    await rm(directory, { recursive: true })
  }
}

it('makes room for every address of the bridge of build steps, and for the connections of many apps', async () => {
  const small = {
    [`${NEIGHBOURS}/gc_thresh1`]: 128,
    [`${NEIGHBOURS}/gc_thresh2`]: 512,
    [`${NEIGHBOURS}/gc_thresh3`]: 1024,
    [CONNECTIONS]: 8192,
  }
  expect(await after(small)).toEqual({
    [`${NEIGHBOURS}/gc_thresh1`]: 128,
    [`${NEIGHBOURS}/gc_thresh2`]: 65_536,
    [`${NEIGHBOURS}/gc_thresh3`]: 131_072,
    [CONNECTIONS]: 262_144,
  })
})

it.each([
  ['larger settings of the machine', { [`${NEIGHBOURS}/gc_thresh3`]: 400_000, [CONNECTIONS]: 500_000 }, 'auto'],
  ['the settings, if Berth may not change the firewall', { [`${NEIGHBOURS}/gc_thresh3`]: 1024, [CONNECTIONS]: 8192 }, 'off'],
  ['a kernel without them', {}, 'auto'],
] as const)('leaves %s alone', async (_, settings, mode) => {
  expect(await after(settings, mode)).toEqual(settings)
})
