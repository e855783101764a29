import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { endProcess } from '../../packages/server/testing/harness/end-process.ts'

async function started(script: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  return child as ChildProcess & { pid: number } // it printed something, so it runs
}

it.each([
  ['ends by itself', { trap: 'exit 0', withinMs: 30_000 }, { isByItself: true, exit: [0, null] }],
  ['ignores that it was asked to is killed', { trap: '', withinMs: 300 }, { isByItself: false, exit: [null, 'SIGKILL'] }],
])('a process that %s', async (_, { trap, withinMs }, expected) => {
  const child = await started(`trap "${trap}" TERM; echo up; while :; do sleep 0.05; done`)
  const exit = once(child, 'exit')
  const isByItself = await endProcess(child.pid, withinMs)
  expect({ isByItself, exit: await exit }).toEqual(expected)
  expect(await endProcess(child.pid, withinMs), 'it is gone').toBe(true)
})
