import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { endProcess } from '../../packages/server/testing/harness/end-process.ts'

async function started(onAsked: string): Promise<ChildProcess & { pid: number }> {
  const script = `process.on('SIGTERM', () => { ${onAsked} }); setInterval(() => undefined, 1000); console.log('up')`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  return child as ChildProcess & { pid: number } // it printed something, so it runs
}

it.each([
  ['ends by itself', { onAsked: 'process.exit(0)', withinMs: 30_000 }, { isByItself: true, exit: [0, null] }],
  ['ignores that it was asked to is killed', { onAsked: '', withinMs: 300 }, { isByItself: false, exit: [null, 'SIGKILL'] }],
])('a process that %s', async (_, { onAsked, withinMs }, expected) => {
  const child = await started(onAsked)
  const exit = once(child, 'exit')
  const isByItself = await endProcess(child.pid, withinMs)
  expect({ isByItself, exit: await exit }).toEqual(expected)
  expect(await endProcess(child.pid, withinMs), 'it is gone').toBe(true)
})
