import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { planCompose } from '../engine/compose/policy.ts'
import { createPlannedImages } from './planned-images.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-plans-'))
})
afterEach(() => rm(directory, { recursive: true }))

const plan = planCompose('services: { image: { image: "one:1" }, web: { build: ., environment: { A: "\\"image\\": \\"no:1\\"" } } }', {
  env: {},
  volumePrefix: 'berth-abc-app-3',
  port: null,
  reservedPorts: [],
  newImageName: () => 'berth/two:release',
})
const release = { id: 7, appId: 3, artifact: { kind: 'compose', mainService: 'web' } } as const

it('names what the kept plans of an app run from, and reads each plan once', async () => {
  const pipe = join(directory, 'd7', 'plan.json')
  await mkdir(join(directory, 'd7'))
  execFileSync('mkfifo', [pipe]) // what is written to it can be read once; whoever reads again waits forever
  const plannedImages = createPlannedImages({ directoryOf: () => directory, releases: [release, { ...release, id: 8, appId: 4 }] })
  const [first] = await Promise.all([plannedImages(3), writeFile(pipe, JSON.stringify(plan))])
  expect([...first].toSorted()).toEqual(['berth/two:release', 'docker.io/library/one:1'])
  expect(await plannedImages(3)).toBe(first)
})

it('names nothing where there is no plan', async () => {
  const plannedImages = createPlannedImages({ directoryOf: () => directory, releases: [release] })
  expect([(await plannedImages(3)).size, (await plannedImages(99)).size]).toEqual([0, 0])
})
