import { expect, it } from 'vitest'
import { readBeginning } from './read-beginning.ts'

it('ends where it is told to, also in a file without end', async () => {
  expect((await readBeginning('/dev/zero', 200_000)).length).toBe(200_000)
})

it('reads a file of the kernel to its end', async () => {
  expect(await readBeginning('/proc/self/net/tcp', 200_000)).toMatch(/^\s*sl\s+local_address/)
  await expect(readBeginning('/proc/nothing/net/tcp', 10)).rejects.toThrow('ENOENT')
})
