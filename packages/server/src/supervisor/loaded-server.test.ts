import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createLoadedServer } from './loaded-server.ts'
import { startServer, type Wanted } from './server-child.ts'

const WANTED: Wanted = { version: '1.1.0', mode: 'checked' }
let directory: string
let opened: string

/** A program that loads, waits, and then opens its data; or ends right away. */
async function writeProgram(name: string, code: string): Promise<string> {
  const file = join(directory, name)
  await writeFile(file, `#!${process.execPath}\n${code}`)
  await chmod(file, 0o755)
  return file
}

const WAITS = `
process.on('message', ({ type }) => {
  if (type === 'begin') require('node:fs').writeFileSync(process.env.OPENED, '')
})
process.on('disconnect', () => process.exit(0))
process.send({ type: 'loaded' })
`

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-loaded-'))
  opened = join(directory, 'opened')
})
afterAll(async () => await rm(directory, { recursive: true, force: true }))

function loadedServerOf(program: string) {
  const started: ReturnType<typeof startServer>[] = []
  const next = createLoadedServer(() => {
    const server = startServer(program, { OPENED: opened }, { onLoad: () => undefined, onForget: () => undefined })
    started.push(server)
    return server
  })
  return { next, started }
}

it('opens nothing until it is taken, and is loaded once', async () => {
  const { next, started } = loadedServerOf(await writeProgram('waits.cjs', WAITS))
  await next.load(WANTED)
  await next.load(WANTED)
  expect(started).toHaveLength(1)
  expect(existsSync(opened)).toBe(false)
  const server = await next.take(WANTED)
  expect(server).toBe(started[0])
  await vi.waitUntil(() => existsSync(opened), { timeout: 10_000 })
  expect(await next.take(WANTED)).toBeUndefined()
  await server?.stop()
})

it('gives none that has ended, before or after it was loaded', async () => {
  const early = loadedServerOf(await writeProgram('ends.cjs', 'process.exit(3)'))
  await early.next.load(WANTED)
  expect(await early.next.take(WANTED)).toBeUndefined()
  const late = loadedServerOf(await writeProgram('waits.cjs', WAITS))
  await late.next.load(WANTED)
  await late.started[0]?.stop()
  expect(await late.next.take(WANTED)).toBeUndefined()
})

it('gives only what is wanted, and ends what is not', async () => {
  const { next, started } = loadedServerOf(await writeProgram('waits.cjs', WAITS))
  await next.load(WANTED)
  expect(await next.take({ ...WANTED, mode: 'normal' })).toBeUndefined()
  await next.load({ ...WANTED, version: '1.2.0' })
  expect(await started[0]?.exited).toBe('it was ended by SIGTERM')
  next.forget()
  expect(await started[1]?.exited).toBe('it was ended by SIGTERM')
  expect(await next.take(WANTED)).toBeUndefined()
})
