import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { portProblem } from './port-check.ts'

it('names who has a port, unless the port is shared with that program', async () => {
  const server = createServer().listen(0, '0.0.0.0')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const { port } = address
  const us = readFileSync('/proc/self/comm', 'utf8').trim()
  const taken = `Port ${port} is taken by another program (${us}). Stop it, or choose another port with X and start again.`
  expect(await portProblem(port, 'X')).toBe(taken)
  expect(await portProblem(port, 'X', 'haproxy')).toBe(taken)
  expect(await portProblem(port, 'X', us)).toBeUndefined()
  server.close()
  await once(server, 'close')
  expect(await portProblem(port, 'X')).toBeUndefined()
})
