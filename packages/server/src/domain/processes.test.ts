import { expect, it } from 'vitest'
import { mostContainers, placesOf, processesWanted } from './processes.ts'

const stored = (...processes: { name: string; command: string; replicas: number }[]) => ({ processes: JSON.stringify(processes) })
const release = stored({ name: 'worker', command: 'work', replicas: 2 }, { name: 'clock', command: 'tick', replicas: 0 })

it('a release runs its own commands, as often as the settings say', () => {
  const app = stored({ name: 'clock', command: 'another', replicas: 1 }, { name: 'new', command: 'new', replicas: 1 })
  expect(processesWanted(app, release)).toEqual([
    { name: 'worker', command: 'work', replicas: 2 }, // no longer in the settings: as often as when the release was made
    { name: 'clock', command: 'tick', replicas: 1 },
  ])
  expect(processesWanted(stored({ name: 'worker', command: '', replicas: 0 }), release)[0]?.replicas).toBe(0)
})

it('its containers are those of the main process, then those of the others', () => {
  expect(placesOf({ replicas: 2, ...stored() }, release)).toEqual([
    { process: '', replica: 1 },
    { process: '', replica: 2 },
    { process: 'worker', replica: 1 },
    { process: 'worker', replica: 2 },
  ])
})

it('a process that only a release has counts like one of the settings, and each counts once', () => {
  expect(mostContainers({ replicas: 2, ...release }, [])).toBe(4)
  expect(mostContainers({ replicas: 2, ...stored() }, [release])).toBe(4)
  const app = { replicas: 1, ...stored({ name: 'worker', command: '', replicas: 1 }, { name: 'new', command: '', replicas: 5 }) }
  expect(mostContainers(app, [release, release])).toBe(8)
})
