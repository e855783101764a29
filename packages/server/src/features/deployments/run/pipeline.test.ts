import type { AppType } from '@berth/contract'
import { expect, it } from 'vitest'
import { type Artifact, columnsOf } from '../../../domain/artifact.ts'
import type { ReleaseConfig } from '../../../domain/release-config.ts'
import type { AppRow, DeploymentRow } from '../../../domain/rows.ts'
import { TUNING } from '../../../lib/tuning.ts'
import type { Launcher } from '../release/release.ts'
import { createContext } from './context.ts'
import { deploy, type Pipeline } from './pipeline.ts'
import { DeploymentFailure } from './stage.ts'

const TARGET = { ip: '10.224.0.130', port: 80 }
const IMAGE = { kind: 'image', tag: 'berth/new:release' } as const

type Given = {
  type?: AppType
  status?: DeploymentRow['status']
  kept?: Artifact
  isReached?: boolean
  isServed?: boolean
  diesAfter?: number
}

/** A deployment made of plain functions that record their names. */
function open({ type = 'web', status = 'building', kept, isReached = true, isServed = false, diesAfter = Infinity }: Given) {
  const events: string[] = []
  const lines: string[] = []
  const note = <Result>(name: string, result: Result) => {
    events.push(name)
    return Promise.resolve(result)
  }
  const app = { id: 1, app_type: type } as AppRow // only the fields that the pipeline reads
  const row = { id: 5, status, progress: 0, steps: '[]', ...columnsOf(kept) } as DeploymentRow // the same
  let looks = 0
  const checkAlive = async () => {
    looks += 1
    if (looks > diesAfter) throw new DeploymentFailure('It stopped.')
  }
  const launcher: Launcher = {
    retireOld: () => note('retire', undefined),
    start: (_context, artifact) =>
      note(`start ${artifact.kind === 'image' ? artifact.tag : artifact.mainService}`, {
        target: isReached ? TARGET : undefined,
        waitHealthy: () => note('healthy', undefined),
        checkAlive,
      }),
    removeOld: (context) => {
      context.say('The container engine is not responding; waiting for it')
      return note('remove old', undefined)
    },
    undo: () => note('undo', undefined),
  }
  const pipeline: Pipeline = {
    stages: {
      cloneRepository: () => note('clone', undefined),
      buildImage: () => note('build', IMAGE),
      makePlan: () => note('plan', { kind: 'compose', mainService: 'web' }),
      pullTemplate: () => note('pull', IMAGE),
      pullReadyImage: () => note('pull ready image', IMAGE),
    },
    runReleaseCommand: () => note('release command', undefined),
    launchers: { container: launcher, compose: launcher },
    routes: {
      isServed: async () => isServed,
      switchTo: (_appId, { ip }) => note(`switch to ${ip}`, undefined),
      restore: () => note('restore', undefined),
      beginAgain: () => note('begin again', undefined),
      drain: () => note('drain', undefined),
    },
    record: {
      deploying: (current, artifact) => note('deploying', { ...current, status: 'deploying' as const, ...columnsOf(artifact) }),
      success: (_app, current) => note('success', { ...current, status: 'success' as const }),
    },
    stabilityMs: 10,
  }
  const context = createContext({
    app,
    findApp: async () => app,
    row,
    config: { type } as ReleaseConfig, // only launchers read the rest
    buildSecrets: {},
    workspace: '',
    writer: { append: (line) => void lines.push(line), flush: () => note('flush', undefined) },
    record: {
      stage: async (current, _status, { stage }) => ({ ...current, ...(stage && { stage }) }),
      commit: async (current) => current,
      image: async (current) => current,
      port: async (current) => current,
    },
    signal: new AbortController().signal,
    step: async (_name, effect) => await effect(),
    log: { debug: () => undefined },
    tuning: TUNING,
    now: () => new Date(0),
    replaces: isServed ? 4 : null,
  })
  const run = async () => {
    try {
      await deploy(context, pipeline)
    } finally {
      context.close()
    }
    return { events, lines, row: context.deployment }
  }
  return { events, run }
}

const STARTED = ['deploying', 'release command', 'retire', 'start berth/new:release', 'healthy']
const ENDED = ['flush', 'success', 'drain', 'remove old']

it.each<[AppType, string[]]>([
  ['web', ['clone', 'build', ...STARTED, 'switch to 10.224.0.130', ...ENDED]],
  ['compose', ['clone', 'plan', 'deploying', 'release command', 'retire', 'start web', 'healthy', 'switch to 10.224.0.130', ...ENDED]],
])('makes, starts, checks and routes a %s app, in this order', async (type, expected) => {
  const { events, row } = await open({ type }).run()
  expect(events).toEqual(expected)
  expect(row.status).toBe('success')
})

it.each<[AppType, string[]]>([
  ['service', ['clone', 'build', ...STARTED, ...ENDED]],
  ['database', ['pull', ...STARTED, ...ENDED]],
])('sends no visitors to a %s', async (type, expected) => {
  expect((await open({ type, isReached: false }).run()).events).toEqual(expected)
})

it('says nothing after the last line, while the old release is removed', async () => {
  const { events, lines } = await open({}).run()
  expect(events.at(-1)).toBe('remove old')
  expect(lines.at(-1)).toBe('Deployed successfully')
})

it('a rollback clones and builds nothing', async () => {
  const { events, row } = await open({ kept: { kind: 'image', tag: 'berth/old:release' } }).run()
  expect(events.slice(0, 4)).toEqual(['deploying', 'release command', 'retire', 'start berth/old:release'])
  expect(row.image).toBe('berth/old:release')
})

it('a run after a crash continues with what was built, and does not move to deploying twice', async () => {
  const { events } = await open({ status: 'deploying', kept: IMAGE }).run()
  expect(events.slice(0, 4)).toEqual(['begin again', 'release command', 'retire', 'start berth/new:release'])
})

it('while another release serves, it must be healthy twice before it gets visitors', async () => {
  const { events } = await open({ isServed: true }).run()
  expect(events).toEqual(['clone', 'build', ...STARTED, 'healthy', 'switch to 10.224.0.130', ...ENDED])
})

it('one that dies before the switch gets no visitors, and one that dies after it does not succeed', async () => {
  const alone = open({ isServed: true, diesAfter: 0 })
  await expect(alone.run()).rejects.toThrow('It stopped.')
  expect(alone.events.at(-1)).toBe('healthy')
  const visited = open({ diesAfter: 0 })
  await expect(visited.run()).rejects.toThrow('It stopped.')
  expect(visited.events.at(-1)).toBe('switch to 10.224.0.130')
})
