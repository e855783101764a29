import { expect, it } from 'vitest'
import { processesFrom } from './processes.ts'

it('half a character in a command is replaced, because PostgreSQL cannot read it as JSON', () => {
  const [stored] = processesFrom([{ name: 'worker', command: ' echo 🚀 \ud800 ' }], { app_type: 'web' })
  expect(stored).toEqual({ name: 'worker', command: 'echo 🚀 \ufffd', replicas: 1 })
})

it('a limit that is null is none of its own', () => {
  const [stored] = processesFrom([{ name: 'worker', cpuLimit: null, memoryLimit: 64 }], { app_type: 'web' })
  expect(stored).toEqual({ name: 'worker', command: '', replicas: 1, memoryLimit: 64 })
})
