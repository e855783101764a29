import type { BuildPlan } from '@berth/contract'
import { expect, it } from 'vitest'
import { withProcesses } from './processes.ts'
import { startInProcfile, withReleaseLine } from './procfile.ts'
import { projectAt, repositoryOf } from './project.ts'

const PROCFILE = 'web: node server.js\nrelease: migrate\nworker: node worker.js\nclock: node clock.js\n'
const plan = (builder: BuildPlan['builder'] = 'auto'): BuildPlan => ({
  builder,
  kind: 'node',
  title: '',
  files: [],
  versions: [],
  commands: [{ name: 'start', command: 'node server.js', from: 'Procfile' }],
  outputDirectory: '',
  port: 3000,
  dockerfile: '',
  notes: [],
})
const project = (files: Record<string, string>) => projectAt(repositoryOf(files), '')

it('lists the other lines of a Procfile, which run as often as the settings say', () => {
  const { processes } = withProcesses(plan(), project({ Procfile: PROCFILE }), [{ name: 'clock', command: '', replicas: 1 }])
  expect(processes).toEqual([
    { name: 'clock', command: 'node clock.js', replicas: 1, from: 'Procfile' },
    { name: 'worker', command: 'node worker.js', replicas: 0, from: 'Procfile' },
  ])
})

it('a command in berth.json comes before one in the settings, and that before the Procfile', () => {
  const files = { Procfile: PROCFILE, 'berth.json': JSON.stringify({ processes: { worker: 'from berth.json' } }) }
  const settings = ['worker', 'clock'].map((name) => ({ name, command: 'from the settings', replicas: 1 }))
  expect(withProcesses(plan(), project(files), settings).processes).toMatchObject([
    { name: 'worker', command: 'from berth.json' },
    { name: 'clock', command: 'from the settings' },
  ])
})

it('limits in berth.json come before those in the settings, each by itself', () => {
  const worker = { command: 'work', memoryLimit: 256 }
  const files = { Procfile: PROCFILE, 'berth.json': JSON.stringify({ processes: { worker } }) }
  const settings = ['worker', 'clock'].map((name) => ({ name, command: '', replicas: 1, cpuLimit: 0.5, memoryLimit: 64 }))
  expect(withProcesses(plan(), project(files), settings).processes).toEqual([
    { name: 'worker', command: 'work', replicas: 1, from: 'berth.json', cpuLimit: 0.5, memoryLimit: 256 },
    { name: 'clock', command: 'node clock.js', replicas: 1, from: 'Procfile', cpuLimit: 0.5, memoryLimit: 64 },
  ])
})

it('the release line is the release command, unless there is another one', () => {
  const own = { name: 'release', command: 'of the settings', from: 'the settings' } as const
  const release = (given: BuildPlan) =>
    withReleaseLine(given, project({ Procfile: PROCFILE })).commands.filter(({ name }) => name === 'release')
  expect(release(plan())).toEqual([{ name: 'release', command: 'migrate', from: 'Procfile' }])
  expect(release({ ...plan(), commands: [own] })).toEqual([own])
  expect(withReleaseLine(plan('dockerfile'), project({ Procfile: 'no colon' })).commands).toEqual(plan().commands)
})

it('the release line alone does not start the app', () => {
  expect(startInProcfile(project({ Procfile: 'release: migrate' }))).toBeUndefined()
  expect(startInProcfile(project({ Procfile: 'release: migrate\nbot: node bot.js' }))).toBe('node bot.js')
})

it('the only line of a Procfile is a process if something else starts the app', () => {
  const only = project({ Procfile: 'worker: node worker.js' })
  const start = { name: 'start', command: 'node worker.js', from: 'Procfile' } as const
  expect(withProcesses({ ...plan(), commands: [start] }, only, []).processes).toEqual([])
  expect(withProcesses({ ...plan(), commands: [] }, only, []).processes).toMatchObject([{ name: 'worker' }])
})

it('a process that should run and has no command is a problem, and one that should not is none', () => {
  const named = (replicas: number) => () => withProcesses(plan(), null, [{ name: 'mailer', command: '', replicas }])
  expect(named(1)).toThrow('The process mailer has no command. Add a line "mailer: ..." to the Procfile')
  expect(named(0)().processes).toEqual([])
})

it('a mistake in a Procfile beside a Dockerfile does not matter', () => {
  const broken = project({ Procfile: 'no colon' })
  expect(withProcesses(plan('dockerfile'), broken, []).processes).toEqual([])
  expect(() => withProcesses(plan(), broken, [])).toThrow('Line 1 of Procfile')
})
