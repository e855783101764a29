import { expect, it } from 'vitest'
import { processesIn, processesText } from './process-values.ts'

it('processes are one a line, with a number and a command that may have colons and equals signs', () => {
  const processes = [
    { name: 'worker', command: 'node worker.js --level=2 --at=12:30', replicas: 2 },
    { name: 'clock', command: '', replicas: 0 },
  ]
  expect(processesText(processes)).toBe('worker=2: node worker.js --level=2 --at=12:30\nclock=0')
  expect(processesIn(processesText(processes))).toEqual(processes)
  expect(processesIn('\n mailer : run a=b \n')).toEqual([{ name: 'mailer', command: 'run a=b', replicas: 1 }])
  expect(processesIn('worker=')).toEqual([{ name: 'worker', command: '', replicas: Number.NaN }])
})
