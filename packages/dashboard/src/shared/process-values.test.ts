import { expect, it } from 'vitest'
import { NEW_PROCESS, processesIn, processRows } from './process-values.ts'

it('processes are rows of texts, and come back as they were', () => {
  const processes = [
    { name: 'worker', command: 'node worker.js --at=12:30', replicas: 2, cpuLimit: 0.5, memoryLimit: 256 },
    { name: 'clock', command: '', replicas: 0 },
  ]
  expect(processRows(processes)[1]).toEqual({ name: 'clock', command: '', replicas: '0', cpuLimit: '', memoryLimit: '' })
  expect(processesIn(processRows(processes))).toEqual(processes)
})

it('what is no number is left to the check', () => {
  const typed = { ...NEW_PROCESS, name: ' mailer ', command: ' run ', replicas: '', cpuLimit: 'half', memoryLimit: ' 64 ' }
  expect(processesIn([typed])).toEqual([{ name: 'mailer', command: 'run', replicas: Number.NaN, cpuLimit: Number.NaN, memoryLimit: 64 }])
})
